import { defineCommand, toTextResult } from '../cli/command/command.ts';

/** Maps each shell to the file of its completion script. */
export const shells = { bash: 'kith.bash', zsh: '_kith', fish: 'kith.fish', powershell: 'kith.ps1' } as const;

export const completion = defineCommand({
  name: 'completion',
  summary: 'Generate a shell completion script',
  description:
    'Generate the completion script for a shell. It completes commands, flags and their values, and the names of ' +
    'profiles, lists, statuses, fields, contacts and organizations. It sends no request: the names are those ' +
    'that earlier commands on this machine have read or written.',
  output: { protocol: ['completion'] },
  effects: 'local',
  args: { shell: { summary: 'Shell:', choices: Object.keys(shells) } },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  async run(session, { shell }) {
    const file = Object.entries(shells).find(([name]) => name === shell)?.[1] ?? '';
    return toTextResult(await session.services.readPackageFile(`completions/${file}`), { shell, file });
  },
});
