import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Fact } from './fact.tsx';

const shown = (...children: ReactNode[]) =>
  renderToStaticMarkup(createElement(Fact, { term: 'Card on file', children })).replace(/<[^>]*>/g, '|');

test.each([[[null]], [['']], [[false, null]], [[null, '']]])('shows a dash when all parts are empty: %j', (parts) => {
  expect(shown(...parts)).toContain('|–|');
});

test.each([[['Visa 4242']], [[null, 'It runs out soon.']], [[0]]])('shows the known parts: %j', (parts) => {
  expect(shown(...parts)).not.toContain('–');
  expect(shown(...parts)).toContain(String(parts.at(-1)));
});
