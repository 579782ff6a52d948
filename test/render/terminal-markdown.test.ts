import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/render/terminal-markdown.ts';
import { supportsHyperlinks } from '../../src/render/text/hyperlinks.ts';
import { plainPaint } from '../../src/render/text/paint.ts';
import { measureWidth } from '../../src/render/text/width.ts';
import { hostileText } from '../reliability/hostile.ts';

const esc = '\u001b';

const render = (text: string, width?: number) => renderMarkdown(text, { width, paint: plainPaint });

test('without colors, headings and code keep their marks', () => {
  expect(render('## A **b** `c`\n\n- x\n- [x] y')).toEqual(['## A b `c`', '', '• x', '☑ y']);
});

test('keeps line feeds, HTML and link definitions as they are', () => {
  expect(render('a\nb &amp; <i>c</i>\n\n[x]: https://a.example\n\n<div>\nd\n</div>')).toEqual([
    ...['a', 'b &amp; <i>c</i>', '', '[x]: https://a.example', '', '<div>', 'd', '</div>'],
  ]);
});

test.each([
  ['a hidden escape', 'a\u001b[2Jb\u009b1m\u202e', 'a\\x1b[2Jb\\x9b1m\\u202e'],
  [
    'an escape in an address',
    '[a](https://x.example/\u001b]8;;\u0007)',
    'a (https://x.example/\\x1b]8;;\\x07)',
  ],
  ['numeric entities', 'a&#27;[2J `&#27;` [b&#155;](x&#27;)', 'a\\x1b[2J `&#27;` b\\x9b (x&#27;)'],
  ['a code block', '```\n\u001b[31m\n```', '  \\x1b[31m'],
])('sanitizes %s', (_, text, expected) => {
  expect(render(text)).toEqual([expected]);
});

test.each([
  ['https://a.example/b', true],
  ['mailto:a@b.example', true],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['/relative', false],
])('a link to %s is a hyperlink: %s', (href, isLink) => {
  const options = { width: 80, paint: new Chalk({ level: 1 }), hasLinks: true };
  const [line = ''] = renderMarkdown(`[text](${href})`, options);
  expect(line.includes(`${esc}]8;;${href}${esc}\\`)).toBe(isLink);
  expect(renderMarkdown(`[text](${href})`, { ...options, hasLinks: false })[0]).not.toContain(`${esc}]8`);
});

test('a link that reads like another address shows its own', () => {
  const options = { width: 80, paint: plainPaint, hasLinks: true };
  const [line] = renderMarkdown('[bank.example](https://evil.example)', options);
  expect(line).toMatch(/ \(https:\/\/evil\.example\)$/);
});

test.each([
  ['quotes', '> '.repeat(4000)],
  ['lists that the parser survives', '- '.repeat(900)],
])('shows a text as it is if its nesting exhausts the stack: %s', (_, marks) => {
  const text = `${marks}x`;
  expect(render(text, 200_000).join('')).toBe(text);
});

test.each([
  ['one word', 'x'.repeat(200_000)],
  ['one line of Korean words', '한국어 텍스트 '.repeat(20_000)],
  ['emphasis', ' _a_'.repeat(25_000)],
  ['an email address without end', `${'a.'.repeat(50_000)}@`],
  ['spaces', `x${' '.repeat(100_000)}y`],
])('takes less than 10 seconds for a long text: %s', (_, text) => {
  const start = performance.now();
  const shown = render(text, 40).join('');
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(shown.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
});

test.each([10, 20, 40])('fits hostile text into %i columns', (width) => {
  const long = render(`- ${hostileText}\n\n# ${hostileText}\n\n| a |\n|---|\n| ${hostileText} |`, width);
  expect(long.filter((line) => measureWidth(line) > width)).toEqual([]);
});

test.each([
  [{ TERM_PROGRAM: 'iTerm.app' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ VTE_VERSION: '7200' }, true],
  [{ VTE_VERSION: '4999' }, false],
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM_PROGRAM: 'vscode', CI: '1' }, false],
  [{ TERM_PROGRAM: 'WezTerm', TERM: 'tmux-256color' }, false],
  [{ TERM: 'dumb', FORCE_HYPERLINK: '1' }, true],
  [{ TERM_PROGRAM: 'WezTerm', FORCE_HYPERLINK: '0' }, false],
])('a terminal with %o opens hyperlinks: %s', (env, expected) => {
  expect(supportsHyperlinks(env)).toBe(expected);
});
