import { expect, test } from 'vitest';
import { readActionItems, readSummaryText, renderSummary } from '../../src/transcripts/summary.ts';

const whole = {
  risks: ['Price', 'Time'],
  action_items: ['Send the offer', 'Call\nback'],
  topics: [
    { title: 'Price', content: 'Too high.' },
    { title: 'Terms', content: 'Net 30.', owner: 'Ada', votes: 3 },
  ],
  summary: 'They want it.\n\nSoon.',
  detected_language: 'en',
  next_steps: 'Meet again.',
};

test('renders known keys first, and other keys under headings made from their names', () => {
  expect(renderSummary(whole)).toBe(`## Summary

They want it.

Soon.

## Topics

### Price

Too high.

### Terms

Net 30.

Owner: Ada

Votes: 3

## Action items

- [ ] Send the offer
- [ ] Call back

## Risks

- Price
- Time

## Next steps

Meet again.
`);
});

test('starts headings at the given level', () => {
  const levels = renderSummary(whole, 3).match(/^#+ /gm);
  expect(levels).toEqual(['### ', '### ', '#### ', '#### ', '### ', '### ', '### ']);
});

test.each<[string, unknown, string]>([
  ['a text', 'Yes.', '## Sentiment\n\nYes.\n'],
  ['a number', 4, '## Sentiment\n\n4\n'],
  ['zero', 0, '## Sentiment\n\n0\n'],
  ['a truth', false, '## Sentiment\n\nfalse\n'],
  ['texts', ['a', 'b\nc'], '## Sentiment\n\n- a\n- b c\n'],
  ['numbers', [1, 2], '## Sentiment\n\n- 1\n- 2\n'],
  ['an object', { us: 'warm', next_call: { at: 9 } }, '## Sentiment\n\n- Us: warm\n- Next call: At: 9\n'],
  ['objects', [{ who: 'Ada', mood: 'warm' }], '## Sentiment\n\n- Who: Ada; Mood: warm\n'],
  ['lists', [['a', 'b'], ['c']], '## Sentiment\n\n- a, b\n- c\n'],
  ['lists with gaps', [null, 'a', '', {}], '## Sentiment\n\n- a\n'],
  ['null', null, ''],
  ['an empty text', '', ''],
  ['a blank text', ' \n ', ''],
  ['no texts', [], ''],
  ['only gaps', [null, ''], ''],
  ['an empty object', {}, ''],
])('renders a key of the workspace with %s', (_, value, markdown) => {
  expect(renderSummary({ sentiment: value })).toBe(markdown);
});

test.each<[string, unknown, string]>([
  ['a summary as a list', { summary: ['a', 'b'] }, '## Summary\n\n- a\n- b\n'],
  ['topics as one text', { topics: 'Price.' }, '## Topics\n\nPrice.\n'],
  ['topics as a list of texts', { topics: ['Price', 'Terms'] }, '## Topics\n\nPrice\n\nTerms\n'],
  ['topics with gaps', { topics: [null, { title: 'Price' }, {}] }, '## Topics\n\n### Price\n'],
  [
    'topics of other keys',
    { topics: [{ name: 'Price', text: 'High' }] },
    '## Topics\n\n- Name: Price\n- Text: High\n',
  ],
  [
    'a topic without a title',
    { topics: [{ title: null, content: 'High.' }] },
    '## Topics\n\n### Topic\n\nHigh.\n',
  ],
  [
    'a topic with an empty title',
    { topics: [{ title: '', content: 'High.' }] },
    '## Topics\n\n### Topic\n\nHigh.\n',
  ],
  ['only gaps as topics', { topics: [null, {}] }, ''],
  ['action items as one text', { action_items: 'Call.' }, '## Action items\n\nCall.\n'],
  [
    'action items as objects',
    { action_items: [{ who: 'Ada', what: 'call' }] },
    '## Action items\n\n- [ ] Who: Ada; What: call\n',
  ],
  ['action items with gaps', { action_items: [null, 'Call.', ''] }, '## Action items\n\n- [ ] Call.\n'],
  ['a heading of several lines', { 'a_b\n# c': 1 }, '## A b # c\n\n1\n'],
  ['a name in another script', { 다음_단계: '전화' }, '## 다음 단계\n\n전화\n'],
  ['only a language', { detected_language: 'ko' }, ''],
  ['nothing', {}, ''],
  ['null', null, ''],
  ['no summary at all', undefined, ''],
])('%s', (_, summary, markdown) => {
  expect(renderSummary(summary)).toBe(markdown);
});

test.each([
  ['the known key', whole, 'They want it.\n\nSoon.'],
  ['a key that the workspace adds', { detected_language: 'en', overview: ' Text. ' }, 'Text.'],
  ['the first topic', { summary: '', action_items: ['Call'], topics: [{ title: 'Price' }] }, 'Price'],
  ['nothing but a language', { detected_language: 'en', action_items: ['Call'] }, undefined],
  ['no summary', null, undefined],
])('reads the text of %s', (_, summary, text) => {
  expect(readSummaryText(summary)).toBe(text);
});

test.each([
  [whole, ['Send the offer', 'Call\nback']],
  [{ action_items: 'Call.' }, ['Call.']],
  [{ action_items: [{ who: 'Ada' }, null, ''] }, ['Who: Ada']],
  [{ summary: 'Text.' }, []],
  [null, []],
])('reads the action items of %j', (summary, items) => {
  expect(readActionItems(summary)).toEqual(items);
});
