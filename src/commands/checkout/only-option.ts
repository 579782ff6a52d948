import type { Option } from '../../cli/command/options.ts';
import { requireValue } from '../../contract/field-types.ts';
import { type TopFolder, topFolders } from './folders.ts';

/** Limits a checkout to folders. */
export const onlyOption: Option<readonly TopFolder[] | undefined> = {
  summary: 'Only these folders, comma-separated:',
  placeholder: 'FOLDERS',
  choices: topFolders,
  parse(text) {
    const words = text
      .split(',')
      .map((word) => requireValue(word.trim(), { type: 'select', options: topFolders }));
    return topFolders.filter((folder) => words.includes(folder));
  },
};
