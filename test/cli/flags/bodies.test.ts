import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { startRecordingService } from '../../commands/recording-service.ts';
import { createMachine, createTemporaryFolder, type MachineOptions, splitWords } from '../../support/kith.ts';

/** The result of a line, and its writes. */
async function sendLine(line: string | string[], setting: MachineOptions = {}) {
  const { env, requests } = await startRecordingService();
  const { code, err } = await createMachine()(line, { ...setting, env });
  const writes = requests.filter(({ method }) => method !== 'GET');
  return { code, err, sent: writes.map(({ body }) => body) };
}

test.each<[line: string, sent: string, stdin?: string]>([
  [
    `contacts create --data '{"first_name":"A","unknown":[1.5,null]}'`,
    '{"first_name":"A","unknown":[1.5,null]}',
  ],
  ['contacts create --data -', '{"first_name":"Stdin"}', ' {"first_name": "Stdin"}\n'],
  ['contacts create --data @contact.json', '{"first_name":"파일","emails":["f@x.example"]}'],
  [
    'contacts create --data @contact.json --first-name Flag --phone 1',
    '{"first_name":"Flag","emails":["f@x.example"],"phone_numbers":["1"]}',
  ],
  [
    'contacts create --data @contact.json --email a@x.example',
    '{"first_name":"파일","emails":["a@x.example"]}',
  ],
  [
    `contacts create --field Code=1 --data '{"custom_fields":[{"name":"Code","value":"0"},{"name":"Rooms","value":3}]}'`,
    '{"custom_fields":[{"name":"Rooms","value":3},{"name":"Code","value":"1"}]}',
  ],
  [
    `entries update l1 e1 --field Code=1 --data '{"list_fields":[{"name":"Code","value":"0"}],"status":"Won"}'`,
    '{"list_fields":[{"name":"Code","value":"1"}],"status":"Won"}',
  ],
  ['contacts update c1 --data {}', '{}'],
  [
    `contacts create --field Code=1 --data '{"custom_fields":{"Code":"0","Rooms":3}}'`,
    '{"custom_fields":[{"name":"Rooms","value":3},{"name":"Code","value":"1"}]}',
  ],
  [`contacts update c1 --data '{"first_name":"A"}' --first-name ""`, '{"first_name":null}'],
  [`notes create --data '{"organization_id":"o1","body":"B"}'`, '{"organization_id":"o1","body":"B"}'],
  [
    `notes create --data '{"organization_id":"o2"}' --organization o1 --body B`,
    '{"organization_id":"o1","body":"B"}',
  ],
  [
    'notes create --organization o1 --body -',
    '{"organization_id":"o1","body":"Two\\nlines\\n"}',
    'Two\nlines\n',
  ],
  ["notes update n1 --body '-y means yes'", '{"body":"-y means yes"}'],
  ["notes update n1 --body '-V5 is out' --deal --json", '{"body":"-V5 is out","deal_id":"--json"}'],
  ['notes update n1 --body @note.md', '{"body":"# 노트\\n"}'],
  [
    "notes create --organization o1 --body '- a -y\n--json'",
    '{"organization_id":"o1","body":"- a -y\\n--json"}',
  ],
  [
    `custom-fields create Region --model contact --data '{"data_type":"select","options":["A"],"accepts_multiple_values":true}'`,
    '{"data_type":"select","options":["A"],"accepts_multiple_values":true,"name":"Region","model":"contact"}',
  ],
  [
    `lists create L --data '{"entry_type":"Contact","process":true,"identifier":"L","duplicates_allowed":true}'`,
    '{"entry_type":"Contact","process":true,"identifier":"L","duplicates_allowed":true,"name":"L"}',
  ],
  [
    `lists create L --process --data '{"entry_type":"Contact","identifier":"L"}' --no-duplicates`,
    '{"entry_type":"Contact","identifier":"L","name":"L","process":true,"duplicates_allowed":false}',
  ],
  [
    `entries add l1 --data '{"entryable_id":"c1","entryable_type":"Contact"}'`,
    '{"entryable_id":"c1","entryable_type":"Contact"}',
  ],
])('%s sends %s', async (typed, sent, stdin = '') => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'contact.json'), '{"first_name": "파일", "emails": ["f@x.example"]}');
  writeFileSync(join(folder, 'note.md'), '# 노트\n');
  const line = splitWords(typed).map((word) => word.replace(/^@/, `@${folder}/`));
  expect(await sendLine(line, { stdin })).toEqual({ code: 0, err: '', sent: [sent] });
});

const jsonHint = `hint: Use --data '{"name": "Acme"}', --data @FILE, or --data - for stdin.\n`;
const nothingMessage = 'Nothing to update. Pass at least one field flag.\n';
const notWhole =
  '--data: The value contains a number that would lose precision.\nhint: To send a body unchanged, use `kith api PATH --input FILE`.\n';

test.each([
  [`contacts create --data '{"first_name"'`, `--data: The value is not valid JSON.\n${jsonHint}`],
  ['contacts create --data ""', '--data: JSON|@FILE|- must not be empty.\n'],
  ['contacts create --data -', `--data: The value is not valid JSON.\n${jsonHint}`],
  ['contacts create --data []', '--data: The value is not a JSON object.\n'],
  ['contacts create --data null', '--data: The value is not a JSON object.\n'],
  ['contacts create --data @nowhere.json', 'Cannot read nowhere.json: it does not exist.\n'],
  ['contacts create --data @.', 'Cannot read .: it is a folder, not a file.\n'],
  [`contacts create --data '{"n":9007199254740993}'`, notWhole],
  [`contacts create --data '{"custom_fields":[{"name":"Rooms","value":1e400}]}'`, notWhole],
  [
    `contacts update c1 --data '{"contact_id":"c2"}'`,
    '--data: "contact_id" belongs to the path, not to the body.\n',
  ],
  [`entries update l1 e1 --data '{"id":"e2"}'`, '--data: "id" belongs to the path, not to the body.\n'],
  ['contacts update c1', nothingMessage],
  ['organizations update o1', nothingMessage],
  ['notes update n1', nothingMessage],
  ['custom-fields update f1', nothingMessage],
  ['lists update l1', nothingMessage],
  ['entries update l1 e1', nothingMessage],
  [
    'entries add l1 --contact c1 --organization o1',
    '--contact and --organization cannot be used together.\n',
  ],
  ['lists create L --entry-type Deal', '--entry-type: "Deal" is not one of Contact, Organization.\n'],
  ['lists create L --entry-type Contact --identifier L', '--identifier requires --process.\n'],
  ['lists create L --entry-type Contact --status A:won', '--status requires --process.\n'],
  [
    'lists create L --entry-type Contact --process',
    'Missing required option for a process: --identifier TEXT\n',
  ],
  [
    'lists create L --entry-type Contact --process --identifier L',
    'Missing required option for a process: --duplicates-allowed or --no-duplicates\n',
  ],
  [
    'lists update l1 --duplicates-allowed --no-duplicates',
    '--duplicates-allowed and --no-duplicates cannot be used together.\n',
  ],
  ['custom-fields create F --model contact --type select', 'The select field "F" requires options.\n'],
  [
    'custom-fields create F --model contact --option A',
    'The field "F" cannot have options; only select fields can.\n',
  ],
])('rejects %s and sends nothing', async (line, err) => {
  expect(await sendLine(line)).toEqual({ code: 2, err: `kith: ${err}`, sent: [] });
});

test.each([
  ['contacts create --first-name A', 204],
  ['contacts update c1 --first-name A', 200],
  ['contacts remove-emails c1 a@x.example', 204],
  ['lists create L --entry-type Contact', 201],
  ['entries update l1 e1 --status Won', 204],
])('%s succeeds if a service returns %i without a record', async (line, status) => {
  const { env } = await startTestService(({ method, url }, response) => {
    const list = { id: 'l1', name: 'Deals' };
    if (method !== 'GET') sendJson(response, status);
    else sendJson(response, 200, url === '/v1/lists/l1' ? list : { data: [list] });
  });
  const kith = createMachine();
  const err = 'kith: Done. The service did not return the record.\n';
  expect([await kith(line, { env }), await kith(`${line} --jq .`, { env })]).toEqual([
    { code: 0, out: '', err },
    { code: 0, out: 'null\n', err },
  ]);
});
