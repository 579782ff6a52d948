import { defineCommand, toTextResult } from '../command/command.ts';

/** Maps each shell to the file of its completion script. */
export const shells = { bash: 'kith.bash', zsh: '_kith', fish: 'kith.fish', powershell: 'kith.ps1' } as const;

export const completion = defineCommand({
  name: 'completion',
  summary: 'Generate a shell completion script',
  description:
    'Generate the completion script for a shell. It completes commands, flags and their values, and the names of ' +
    'profiles, lists, statuses, fields, contacts and organizations. It never uses the network: names come from a ' +
    'local workspace file or, for a hosted service, from `kith index update` and from lists and fields that earlier ' +
    'commands have read.',
  output: 'text',
  isLocal: true,
  args: { shell: { summary: 'Shell:', choices: Object.keys(shells) } },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  async run(session, { shell }) {
    const file = Object.entries(shells).find(([name]) => name === shell)?.[1] ?? '';
    return toTextResult(await session.readPackageFile(`completions/${file}`), { shell, file });
  },
});
