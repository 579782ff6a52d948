import { command, said } from '../command.ts';

/** The shells, each with the file of its script. */
export const shells = { bash: 'kith.bash', zsh: '_kith', fish: 'kith.fish', powershell: 'kith.ps1' } as const;

export const completion = command({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'Print the completion script of a shell. It offers commands, flags and their values, the profiles, and the ' +
    'names of lists as they were last seen; it never goes to the network.',
  answers: 'text',
  local: true,
  args: { shell: { summary: 'The shell:', choices: Object.keys(shells) } },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  async run(session, { shell }) {
    const file = Object.entries(shells).find(([name]) => name === shell)?.[1] ?? '';
    return said(await session.completion(file), { shell, file });
  },
});
