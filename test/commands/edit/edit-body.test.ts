import { expect, test } from 'vitest';
import { createDemoMachine, type EditorText } from '../../support/kith.ts';
import { readKeptFile, terminal } from './editor.ts';

/** Returns a machine with a note, and the id of the note. */
async function createNote(body: string) {
  const kith = createDemoMachine();
  const { out } = await kith(['notes', 'create', '--organization', 'rl16pk', '--body', body, '--jq', '.id']);
  const id = out.trim();
  const readBody = async () => JSON.parse((await kith(`notes get ${id} --json`)).out).body;
  return { kith, id, readBody };
}

test('opens the body of a note as Markdown, shows the lines that differ, and asks', async () => {
  const { kith, id, readBody } = await createNote('# Call\r\none\r\ntwo\r\nthree');
  let shown = '';
  const editorText: EditorText = (text) => {
    shown = text;
    return text.replace('two', '2\n\u001b[31m2b');
  };
  const { code, err } = await kith(`notes update ${id}`, { ...terminal, editorText, answers: [true] });
  expect({ code, shown, err }).toEqual({
    code: 0,
    shown: '# Call\none\ntwo\nthree\n',
    err:
      `(vi)\nChanges to note ${id}:\n  body:\n    - two\n    + 2\n    + \\x1b[31m2b\n` +
      `Send these changes?\nkith: Updated note ${id}: body.\n`,
  });
  expect(await readBody()).toBe('# Call\r\none\r\n2\r\n\u001b[31m2b\r\nthree');
});

test('sends nothing if only the line ends of the body changed', async () => {
  const { kith, id, readBody } = await createNote('one\n\n  two  \n');
  const editorText = (shown: string) => shown.replaceAll('\n', '\r\n');
  const { code, err } = await kith(`notes update ${id}`, { ...terminal, editorText });
  expect({ code, err }).toEqual({ code: 0, err: '(vi)\nkith: Nothing changed; nothing was sent.\n' });
  expect(await readBody()).toBe('one\n\n  two  \n');
});

test('does not overwrite a body that has changed on the service since the editor opened', async () => {
  const { kith, id, readBody } = await createNote('one');
  const editorText: EditorText[] = [
    async () => {
      await kith(`notes update ${id} --body theirs`);
      return 'mine';
    },
    (shown) => {
      expect(shown).toMatch(/^#! .*\n#! body: "one" -> "theirs"\nmine$/);
      return shown;
    },
  ];
  const { code, err } = await kith(`notes update ${id} --yes`, { ...terminal, editorText });
  expect({ code, err }).toMatchObject({
    code: 5,
    err: expect.stringContaining(`kith notes update ${id} --body-file `),
  });
  expect(readKeptFile(err).text).toBe('mine');
  expect(await readBody()).toBe('theirs');
});

test('requires a flag without a terminal, and opens no editor with one', async () => {
  const { kith, id } = await createNote('one');
  expect(await kith(`notes update ${id}`)).toEqual({
    code: 2,
    out: '',
    err: 'kith: Nothing to update. Pass at least one field flag.\n',
  });
  const { code, err } = await kith(`notes update ${id} --deal ''`, terminal);
  expect({ code, err }).toEqual({
    code: 0,
    err: `kith: Nothing changed: note ${id} already had these values.\n`,
  });
});
