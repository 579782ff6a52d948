/** The time of all records. */
const time = '2026-05-04T00:00:00.000Z';

/** Returns a generator of numbers from 0 to 1 that are the same on every machine. */
function createRandom(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za ber con der ent ing'.split(
  ' ',
);
const vocabularySize = 20_000;

/** Words of 2 to 10 letters: the most frequent ones are the shortest, as in every language. */
const vocabulary = Array.from({ length: vocabularySize }, (_, rank) => {
  let word = '';
  for (let rest = rank; word === '' || rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
});

/** Returns a word: the second most frequent one half as often as the first, and so on (Zipf). */
const pickWord = (random: () => number) => vocabulary[Math.floor(vocabularySize ** random()) - 1] ?? '';

const poolSize = 1_000_000;
const phrases = 100_000;
let pool: readonly string[] = [];

/**
 * Returns a long text of phrases, which are repeated like words. So it is compressed, and has as many different words,
 * as an English manual.
 */
function createPool(): readonly string[] {
  const random = createRandom(0);
  const createPhrase = () => Array.from({ length: 2 + Math.floor(random() * 4) }, () => pickWord(random));
  const known = Array.from({ length: phrases }, createPhrase);
  const words: string[] = [];
  while (words.length < poolSize) words.push(...(known[Math.floor(phrases ** random()) - 1] ?? []));
  return words;
}

/** Returns consecutive words of a long text, which is generated once. */
function pickText(seed: number, words: number): readonly string[] {
  if (pool.length === 0) pool = createPool();
  const start = Math.floor(createRandom(seed)() * (poolSize - words));
  return pool.slice(start, start + words);
}

/** Returns a contact with a name, an address, a phone number and a field. */
export function createSearchContact(row: number) {
  const random = createRandom(row);
  const [first_name, last_name, company] = [pickWord(random), pickWord(random), pickWord(random)];
  return {
    id: `c${row.toString(36)}`,
    first_name,
    last_name,
    emails: [`${first_name}.${last_name}${row % 1000}@${company}.example`],
    phone_numbers: [`+8210${String(Math.floor(random() * 1e8)).padStart(8, '0')}`],
    organization_id: null,
    custom_fields: { f1: { name: 'Role', data_type: 'text', value: `Head of ${pickWord(random)}` } },
    created_at: time,
    updated_at: time,
  };
}

/** Returns a meeting, an hour before the one before it. */
export function createSearchMeeting(row: number) {
  const start = new Date(Date.parse(time) - row * 3_600_000).toISOString();
  return {
    id: `m${row.toString(36)}`,
    title: pickText(row + 7, 4).join(' '),
    start_at: start,
    end_at: start,
    conference_link: '',
    conference_type: '',
    attendees: createSearchContact(row).emails.map((email) => ({ email })),
    recordings: [{ id: `r${row}`, status: 'done' }],
    created_at: time,
    updated_at: time,
  };
}

/** Returns a recording with a transcript of `words` words. */
export function createSearchRecording(row: number, words: number) {
  const text = pickText(row, words + 120);
  const spoken = text.slice(120);
  return {
    id: `r${row}`,
    calendar_event_id: `m${row.toString(36)}`,
    status: 'done',
    summary: {
      summary: `${text.slice(0, 60).join(' ')}.`,
      topics: [{ title: text.slice(60, 63).join(' '), content: text.slice(63, 100).join(' ') }],
      action_items: [text.slice(100, 120).join(' ')],
      detected_language: 'en',
    },
    transcript: Array.from({ length: Math.ceil(words / 25) }, (_, turn) => ({
      participant: { name: turn % 2 === 0 ? 'Ada Lovelace' : 'Grace Hopper' },
      language_code: 'en',
      words: spoken.slice(turn * 25, turn * 25 + 25).map((word, index) => {
        const start = (turn * 25 + index) * 0.4;
        return {
          text: word,
          start_timestamp: { relative: Number(start.toFixed(3)) },
          end_timestamp: { relative: Number((start + 0.35).toFixed(3)) },
        };
      }),
    })),
    created_at: time,
    updated_at: time,
  };
}

/** Returns the bytes of the texts of a workspace, without ids, times and JSON. */
export function measureTexts(contacts: number, meetings: number, words: number): number {
  let bytes = 0;
  for (let row = 0; row < contacts; row += 1) {
    const { first_name, last_name, emails, phone_numbers, custom_fields } = createSearchContact(row);
    bytes += [first_name, last_name, ...emails, ...phone_numbers, 'Role:', custom_fields.f1.value].join(
      ' ',
    ).length;
  }
  for (let row = 0; row < meetings; row += 1) {
    const { title, attendees } = createSearchMeeting(row);
    bytes += title.length + attendees.map(({ email }) => email).join(' ').length;
    bytes += pickText(row, words + 120).join(' ').length + Math.ceil(words / 25) * 'Grace Hopper: '.length;
  }
  return bytes;
}
