/** Every environment variable that the program reads, for help, README and the man pages. */
export const environment = {
  KITH_API_KEY: 'API key; needs no profile',
  KITH_API_KEY_FILE: 'File that contains the API key, for cron and containers',
  KITH_BASE_URL: 'Base URL of the service',
  KITH_PROFILE: 'Profile to use',
  KITH_CONFIG_DIR: 'Folder for settings and workspaces',
  XDG_CONFIG_HOME:
    'Parent folder of the settings folder kith/ if KITH_CONFIG_DIR is not set (default ~/.config)',
  XDG_DATA_HOME:
    'Parent folder of the workspace folder kith/ if KITH_CONFIG_DIR is not set (default ~/.local/share)',
  XDG_CACHE_HOME: 'Parent folder of the compile cache kith/ if KITH_CONFIG_DIR is not set (default ~/.cache)',
  NODE_DISABLE_COMPILE_CACHE: 'Disable the compile cache',
  KITH_DEBUG: 'Print each request to stderr, unless empty or 0',
  NO_COLOR: 'Disable colors',
  FORCE_COLOR: 'Use colors even if the output is not a terminal; 0 disables them',
  PAGER: 'Program that shows long lists in a terminal',
  VISUAL: 'Editor for notes; if not set, EDITOR',
  CI: 'Never prompt',
  HTTPS_PROXY: 'Proxy for the service, http://HOST:PORT; if not set, HTTP_PROXY',
  NO_PROXY: 'Hosts to reach without the proxy: crm.example.com,.internal,10.0.0.0/8 or *',
  NODE_EXTRA_CA_CERTS: 'PEM file with your own CA certificates',
} as const;
