import { expect, test } from 'vitest';
import { skip, startSmallService } from '../../cli/references/small-service.ts';

const editor = { EDITOR: 'nano' };

test('notes create opens the editor if the text is skipped, and does not repeat a long text', async () => {
  const { kith, env, acme, takeWrites } = await startSmallService();
  const setting = { terminal: 80, env: { ...env, ...editor }, editorText: '# Visit\n\n- Freezer 7\n' };
  const { code, err } = await kith('notes create', { ...setting, answers: ['Acme', skip, skip] });
  expect(code).toBe(0);
  expect(err).toContain('Text of the note\n(nano)\n');
  expect(err).toContain('• Freezer 7');
  expect(err).not.toContain('Equivalent command');
  const body = { organization_id: acme, body: '# Visit\n\n- Freezer 7' };
  expect(takeWrites()).toEqual([`POST /v1/notes ${JSON.stringify(body)}`]);
});

test.each([
  ['"n"', ['n'], 1],
  ['Escape', [], 130],
])('after %s, a text from the editor stays on the screen', async (_, answers, code) => {
  const { kith, env, acme, takeWrites } = await startSmallService();
  const setting = { terminal: 80, env: { ...env, ...editor }, editorText: "It's\nlate\u001b[2J" };
  const result = await kith('notes create', { ...setting, answers: ['Acme', skip, ...answers] });
  expect(result).toMatchObject({
    code,
    err: expect.stringContaining(
      `kith: Equivalent command:\nkith notes create --organization ${acme} --body 'It'\\''s\nlate\\x1b[2J'\nkith: `,
    ),
  });
  expect(takeWrites()).toEqual([]);
});

test('a paragraph from the editor stays on the screen after Escape', async () => {
  const { kith, env, acme } = await startSmallService();
  const paragraph = 'Freezer 7 is loud. '.repeat(20).trim();
  const setting = { terminal: 80, env: { ...env, ...editor }, editorText: `${paragraph}\n` };
  const { code, err } = await kith('notes create', { ...setting, answers: ['Acme', skip] });
  expect([code, err.replaceAll('\n      ', ' ')]).toEqual([
    130,
    expect.stringContaining(`kith notes create --organization ${acme} --body '${paragraph}'\n`),
  ]);
});

test('a command without a text does not stay on the screen with an empty one', async () => {
  const { kith, env, acme } = await startSmallService();
  const setting = { terminal: 80, env: { ...env, ...editor }, editorExitCode: 1 };
  const { code, err } = await kith('notes create', { ...setting, answers: ['Acme', skip] });
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`kith notes create --organization ${acme}\nkith: `),
  ]);
});
