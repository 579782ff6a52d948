import { Failure } from '../../contract/errors.ts';
import type { RecordingFiles } from '../../contract/workspace.ts';
import { parseJsonSummary, parseJsonTranscript } from './recording-json.ts';
import type { RecordingContent } from './store-recording.ts';
import { parseSubRip, parseWebVtt } from './subtitle-files.ts';
import { parseSummary } from './summary-files.ts';

/** What files say of a recording. Throws `usage` for a file that cannot be read. */
export function readRecording({ transcript, summary, language }: RecordingFiles): RecordingContent {
  checkLanguage(language);
  const code = language ?? 'und';
  const spoken =
    transcript.format === 'json'
      ? parseJsonTranscript(transcript)
      : {
          transcript: (transcript.format === 'vtt' ? parseWebVtt : parseSubRip)(transcript, code),
          summary: null,
        };
  const said = spoken.transcript[0]?.language_code ?? code;
  if (!summary) return { ...spoken, language: said };
  return {
    ...spoken,
    summary: summary.format === 'json' ? parseJsonSummary(summary) : parseSummary(summary, said),
    language: said,
  };
}

function checkLanguage(language: string | undefined): void {
  try {
    Intl.getCanonicalLocales(language);
  } catch {
    throw new Failure('usage', `"${language}" is not a language code.`, { hint: 'Such as en, ko or pt-BR.' });
  }
}
