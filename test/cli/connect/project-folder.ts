import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createEmptyWorkspace,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
  writeStoredSettings,
} from '../../support/kith.ts';

/** A machine whose active profile is an empty workspace, in a project folder below the home folder. */
export function createProject(content?: unknown, folder = 'src/deep') {
  const home = createTemporaryFolder();
  const settings = join(home, 'settings');
  const profiles = {
    empty: { database: createEmptyWorkspace(home) },
    sample: { database: createSampleWorkspace(home) },
  };
  writeStoredSettings(settings, { active: 'empty', profiles });
  const project = join(home, 'project');
  const file = join(project, '.kith.json');
  mkdirSync(join(project, folder), { recursive: true });
  if (content !== undefined)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const kith = createMachine(settings);
  const invocation = { node: process.execPath, script: '/kith.js', folder: join(project, folder) };
  return {
    ...{ home, settings, project, file, profiles },
    kith: (line: string | readonly string[], { env, ...options }: MachineOptions = {}) =>
      kith(line, { env: { HOME: home, ...env }, invocation, ...options }),
  };
}
