import { storedSettings } from '../../../src/cli/connect/settings.ts';
import { topics as helpTopics } from '../../../src/cli/help/help.ts';
import { commandTree } from '../../../src/commands/tree.ts';

const names = ['Newsletter', 'Cold Chain Days Lisbon', 'Sales pipeline', 'Reseller program'];
const ids = ['4y3m1d', 'myk7xo', 'vy7gy3', '91vqxm'];
const nouns = commandTree.map(({ name }) => name);
const topics = Object.keys(helpTopics);
const contactVerbs = (await commandTree.find(({ name }) => name === 'contacts')?.commands()) ?? [];
const statuses = ['Lead', 'Qualified', 'Trial', 'Proposal', 'Negotiation', 'Won', 'Lost'];
const formats = ['table', 'json', 'ndjson', 'compact', 'csv', 'tsv', 'md', 'html', 'xlsx'];
const shells = ['bash', 'zsh', 'fish', 'powershell'];

const everydayWords = ['people', 'companies', 'find'];

/** The candidates at the end of each line in the sample workspace, the same for every shell. */
export const candidates: Readonly<Record<string, readonly string[]>> = {
  'kith ': [...nouns, ...everydayWords, 'help'],
  'kith en': ['entries'],
  'kith contacts ': [...contactVerbs.map(({ name }) => name), 'view', 'ls', 'rm', 'new', 'add'],
  'kith orgs remove-': ['remove-domains'],
  'kith --profile demo con': ['contacts', 'config'],
  'kith --debug events ex': ['export'],
  'kith contacts --json fi': ['find'],
  'kith nothing-of-ours ': [],
  'kith complete ': [],
  'kith events export ': ['status', 'verify'],
  'kith meetings export ve': ['verify'],
  'kith events export --with ': ['json', 'vtt', 'srt', 'txt'],
  'kith events export status --se': ['--settle'],

  'kith entries add ': [...names, ...ids],
  'kith entries add S': ['Sales pipeline'],
  'kith entries add -- S': ['Sales pipeline'],
  'kith entries add "Sales pipeline" ': [],
  'kith entries get Sales\\ pipeline ': [],
  'kith lists delete Newsletter R': ['Reseller program'],
  'kith --profile demo entries list N': ['Newsletter'],
  'kith --profile=demo entries list N': ['Newsletter'],
  'kith --profile other entries list N': [],
  'kith --base-url http://127.0.0.1:1 entries list N': [],

  'kith lists create X --entry-type ': ['Contact', 'Organization'],
  'kith contacts list --f': ['--format', '--fields'],
  'kith contacts list --json --no-': ['--no-color', '--no-input', '--no-header'],
  'kith contacts get X --page-': [],
  'kith contacts list -- --f': [],
  'kith contacts list --format ': formats,
  'kith contacts list --format j': ['json'],
  'kith recordings summary X --format ': ['text', 'json'],
  'kith recordings transcript X --format ': ['text', 'vtt', 'srt', 'json'],
  'kith contacts list --jq ': [],
  'kith contacts get': ['get'],
  'kith contacts get minja': ['minjae.oh@hanbit-cold.example'],
  'kith contacts get 오민': ['오민재'],
  'kith contacts delete x y minja': ['minjae.oh@hanbit-cold.example'],
  'kith contacts show Aub': ['Aubry Priscille'],
  'kith orgs get hanbit-c': ['hanbit-cold.example'],
  'kith contacts create --organization hanbit-c': ['hanbit-cold.example'],
  'kith entries add Newsletter --contact minja': ['minjae.oh@hanbit-cold.example'],

  'kith entries add Sales\\ pipeline --status ': statuses,
  'kith entries add vy7gy3 --status P': ['Proposal'],
  'kith entries list "Sales pipeline" --status P': ['Proposal'],
  'kith contacts import x.csv --list "Sales pipeline" --status P': ['Proposal'],
  'kith contacts import x.csv --status ': [],
  'kith entries add Newsletter --status ': [],
  'kith contacts update X --field R': ['Role='],
  'kith orgs update X --field Keeps': ['Keeps cold='],
  'kith contacts list --sort upd': ['updated_at'],
  'kith contacts list --fields upd': ['updated_at'],
  'kith api -X P': ['POST', 'PATCH'],
  'kith --profile ': ['demo'],
  'kith auth switch ': ['demo'],
  'kith completion ': shells,
  'kith contacts list --allow con': ['contacts', 'contacts:create', 'contacts:update', 'contacts:delete'],
  'kith config set ': Object.keys(storedSettings),
  'kith config set limit ': [],

  'kith help ': [...new Set([...nouns, ...everydayWords, ...topics])],
  'kith help orgs f': ['find'],
  'kith help events export s': ['status'],
};

/** Names that a shell must quote. */
export const oddNames = [
  '한국 파트너',
  'Kim\'s $100 "A" `b`',
  '$(touch pwned); more',
  'Deals: EMEA=x @home',
  'a&b | c (d) <e> *f? [g] {h} #~i^ \\j',
];

/** Names of contacts that a shell must quote, or cannot show. */
export const oddContacts = [
  ['Zo\'e "x"', ''],
  ['🌊 $HOME', '궉'],
  ['Evil\u001b[2J', 'Name'],
] as const;

/** The line after Tab in bash and zsh, if there is one candidate. */
export const completedLines: Readonly<Record<string, string>> = {
  'kith en': 'kith entries ',
  'kith zz': 'kith zz-deals ',
  'kith contacts list --format=j': 'kith contacts list --format=json ',
  'kith contacts list --format js': 'kith contacts list --format json ',
  'kith --profile=d': 'kith --profile=demo ',

  'kith entries add Sa': 'kith entries add Sales\\ pipeline ',
  'kith entries add Sales\\ p': 'kith entries add Sales\\ pipeline ',
  'kith entries add "Sales p': 'kith entries add "Sales pipeline" ',
  "kith entries add 'Sales p": "kith entries add 'Sales pipeline' ",
  'kith entries add 한': 'kith entries add 한국\\ 파트너 ',
  'kith entries add "한국 ': 'kith entries add "한국 파트너" ',
  'kith entries add Kim': 'kith entries add Kim\\\'s\\ \\$100\\ \\"A\\"\\ \\`b\\` ',
  'kith entries add "Kim': 'kith entries add "Kim\'s \\$100 \\"A\\" \\`b\\`" ',
  "kith entries add 'Kim": "kith entries add 'Kim'\\''s $100 \"A\" `b`' ",
  'kith entries add \\$': 'kith entries add \\$\\(touch\\ pwned\\)\\;\\ more ',
  'kith entries add Deals:': 'kith entries add Deals:\\ EMEA=x\\ @home ',
  'kith entries add Deals:\\ EMEA=x\\ @': 'kith entries add Deals:\\ EMEA=x\\ @home ',
  'kith entries add "Deals: EMEA=': 'kith entries add "Deals: EMEA=x @home" ',
  'kith entries add sa': 'kith entries add Sales\\ pipeline ',
  'kith entries add "sales P': 'kith entries add "Sales pipeline" ',
  'kith entries add kim': 'kith entries add Kim\\\'s\\ \\$100\\ \\"A\\"\\ \\`b\\` ',
  'kith contacts list --fields id,upd': 'kith contacts list --fields id,updated_at ',
  'kith contacts get 오민': 'kith contacts get 오민재 ',
  'kith contacts get "궉': 'kith contacts get "궉 🌊 \\$HOME" ',
  "kith contacts get zo\\'": 'kith contacts get Zo\\\'e\\ \\"x\\" ',
  'kith contacts import x.csv --list=Sales\\ pipeline --list-field A=S':
    'kith contacts import x.csv --list=Sales\\ pipeline --list-field A=Source ',
  'kith contacts update X --field Language=K': 'kith contacts update X --field Language=Korean ',
  'kith entries update "Sales pipeline" DEAL-1 --field Source=W':
    'kith entries update "Sales pipeline" DEAL-1 --field Source=Website ',
  'kith orgs update X --field keeps': 'kith orgs update X --field Keeps\\ cold=',
  'kith orgs update X --field=Keeps': 'kith orgs update X --field=Keeps\\ cold=',
  'kith orgs update X --field "Keeps cold=chee': 'kith orgs update X --field "Keeps cold=Cheese" ',
  'kith orgs update X --field=Keeps\\ cold=chee': 'kith orgs update X --field=Keeps\\ cold=Cheese ',
  'kith entries add a':
    'kith entries add a\\&b\\ \\|\\ c\\ \\(d\\)\\ \\<e\\>\\ \\*f\\?\\ \\[g\\]\\ \\{h\\}\\ \\#\\~i\\^\\ \\\\j ',

  'kith workspace import-events ju': 'kith workspace import-events june.ics ',
  'kith events export --out my': 'kith events export --out my\\ meetings/',
  'kith events export --out=my': 'kith events export --out=my\\ meetings/',
  'kith events export --out ju': 'kith events export --out ju',
  'cd . && FOO=1 kith entries add Sa': 'cd . && FOO=1 kith entries add Sales\\ pipeline ',
  '../bin/kith entries add Sa': '../bin/kith entries add Sales\\ pipeline ',
};
