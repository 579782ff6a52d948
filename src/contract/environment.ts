/** Every environment variable that the program reads. Help and README read it from here. */
export const environment = {
  KITH_API_KEY: 'The API key, without a profile',
  KITH_API_KEY_FILE: 'A file that holds the API key, for cron and containers',
  KITH_BASE_URL: 'The address of the service',
  KITH_PROFILE: 'The profile to use',
  KITH_CONFIG_DIR: 'The folder of settings and workspaces',
  XDG_CONFIG_HOME: 'Where the settings are without KITH_CONFIG_DIR, in kith/ (default ~/.config)',
  XDG_DATA_HOME: 'Where workspaces are without it, in kith/ (default ~/.local/share)',
  KITH_DEBUG: 'Show each request on stderr, unless empty or 0',
  NO_COLOR: 'No colours',
  FORCE_COLOR: 'Colours in a pipe too; 0: none',
  PAGER: 'The program that shows long lists in a terminal',
  VISUAL: 'The editor for notes; then EDITOR',
  CI: 'Never ask',
  HTTPS_PROXY: 'The proxy to a service: http://HOST:PORT; HTTP_PROXY where it is the only one',
  NO_PROXY: 'Hosts that are reached without it: crm.example.com,.internal or *',
  NODE_EXTRA_CA_CERTS: 'Certificates of an authority of your own, as PEM',
} as const;
