import { shells } from '../../cli/commands/completion.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { readSyntax } from './syntax.ts';
import { zshScript } from './zsh.ts';

/** The completion scripts: path from the root of the package -> text. */
export async function completionScripts(): Promise<Record<string, string>> {
  const syntax = await readSyntax();
  return {
    [`completions/${shells.bash}`]: bashScript(syntax),
    [`completions/${shells.zsh}`]: zshScript(syntax),
    [`completions/${shells.fish}`]: fishScript(syntax),
    [`completions/${shells.powershell}`]: powershellScript(syntax),
  };
}
