import { defineCommand, toTextResult } from '../cli/command/command.ts';

export const version = defineCommand({
  name: 'version',
  summary: 'Print the version, its build, and the version of Node.js',
  description:
    'Print the version of kith with the commit it was built from, the version of Node.js, and the platform. ' +
    '`kith --version` prints only the version.',
  output: { text: ['version'] },
  effects: 'local',
  examples: ['version', 'version --json'],
  async run({ runtime: { version }, services }) {
    const { commit, nodeVersion, platform, architecture } = services.machine;
    const build = commit === undefined ? '' : ` (commit ${commit})`;
    return toTextResult(`kith ${version}${build}\nNode.js ${nodeVersion} on ${platform} ${architecture}\n`, {
      version,
      commit: commit ?? null,
      node: nodeVersion,
      platform,
      architecture,
    });
  },
});
