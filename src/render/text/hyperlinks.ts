/** The programs that open hyperlinks (OSC 8), by TERM_PROGRAM. */
const programs = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'WarpTerminal'];

/** The variables that other terminals with hyperlinks set. */
const variables = ['WT_SESSION', 'KITTY_WINDOW_ID', 'DOMTERM', 'KONSOLE_VERSION', 'ALACRITTY_WINDOW_ID'];

/** The first version of VTE, the library of GNOME Terminal and others, whose hyperlinks work. */
const firstVte = 5001;

/** Whether the terminal that an environment describes opens hyperlinks. FORCE_HYPERLINK takes precedence. */
export function supportsHyperlinks(env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_HYPERLINK, TERM = '', TERM_PROGRAM = '', VTE_VERSION } = env;
  if (FORCE_HYPERLINK !== undefined) return !['', '0', 'false'].includes(FORCE_HYPERLINK);
  // A multiplexer hides which terminal is outside.
  if (/^(dumb|screen|tmux)/.test(TERM) || env.CI) return false;
  if (programs.includes(TERM_PROGRAM) || variables.some((name) => env[name])) return true;
  return /kitty|alacritty|ghostty|foot/.test(TERM) || Number(VTE_VERSION) >= firstVte;
}
