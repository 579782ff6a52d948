import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Programs of schedulers in a folder, so that no test changes the crontab of the person who runs it. `crontab` behaves
 * as in Debian; `systemctl` and `launchctl` only record their calls.
 */
export function createFakeSchedulers(home: string, { hasSystemd = false } = {}) {
  const folder = join(home, 'schedulers');
  const file = (name: string) => join(folder, name);
  mkdirSync(file('bin'), { recursive: true });
  const programs = {
    crontab: `case "$1" in
      -l) if [ -f tab ]; then cat tab; else echo "no crontab for ada" >&2; fi
        [ ! -f late ] || { cat late >> tab; rm late; exit 0; }
        [ -f tab ] ;;
      -r) rm tab ;;
      -) cat > tab.new; mv tab.new tab ;;
    esac`,
    systemctl: `case "$*" in
      *show-environment) ${hasSystemd ? 'exit 0' : 'echo "Failed to connect to bus" >&2; exit 1'} ;;
      *is-enabled*) [ -f enabled ] ;;
      *enable*) touch enabled ;;
      *disable*) rm -f enabled ;;
    esac`,
    launchctl: '',
  };
  for (const [name, script] of Object.entries(programs)) {
    const text = `#!/bin/sh
cd '${folder}'
echo "${name} $*" >> calls
if [ -f fail ]; then case "${name} $*" in *"$(cat fail)"*) echo "it is broken" >&2; exit 1 ;; esac; fi
${script}
`;
    writeFileSync(file(`bin/${name}`), text, { mode: 0o755 });
  }
  return {
    bin: file('bin'),
    PATH: [file('bin'), '/usr/bin', '/bin'].join(delimiter),
    /** Returns the crontab, one character per byte; undefined if there is none. */
    readCrontab: () => (existsSync(file('tab')) ? readFileSync(file('tab'), 'latin1') : undefined),
    writeCrontab: (text: string) => writeFileSync(file('tab'), text, 'latin1'),
    /** Adds a line to the crontab after the next time that it is read. */
    addLater: (line: string) => writeFileSync(file('late'), line),
    /** Makes the calls fail that contain a text; undefined: none. */
    failAt: (text?: string) =>
      text === undefined ? rmSync(file('fail'), { force: true }) : writeFileSync(file('fail'), text),
    /** Returns the calls since the last time. */
    takeCalls: () => {
      const text = existsSync(file('calls')) ? readFileSync(file('calls'), 'utf8') : '';
      rmSync(file('calls'), { force: true });
      return text.split('\n').filter(Boolean);
    },
  };
}
