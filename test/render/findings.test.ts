import { expect, test } from 'vitest';
import { renderFindings } from '../../src/render/findings.ts';
import { plainPaint } from '../../src/render/text/paint.ts';

test('wraps the name of a check in a very narrow terminal', () => {
  const finding = { state: 'ok', check: 'config folder', found: '/home', advice: '' };
  expect(renderFindings([finding], { paint: plainPaint, width: 12 })).toBe('ok  config\nfolder\n  /home\n');
});
