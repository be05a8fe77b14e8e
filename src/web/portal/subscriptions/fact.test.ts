import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Fact } from './fact.tsx';

const shown = (...children: ReactNode[]) =>
  renderToStaticMarkup(createElement(Fact, { term: 'Card on file', children })).replace(/<[^>]*>/g, '|');

test.each([[[null]], [['']], [[false, null]], [[null, '']]])(
  'a fact of which nothing is known has a dash: %j',
  (parts) => {
    expect(shown(...parts)).toContain('|–|');
  },
);

test.each([[['Visa 4242']], [[null, 'It runs out soon.']], [[0]]])('what is known is shown: %j', (parts) => {
  expect(shown(...parts)).not.toContain('–');
  expect(shown(...parts)).toContain(String(parts.at(-1)));
});
