import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Fact } from './fact.tsx';

const render = (...children: ReactNode[]) =>
  renderToStaticMarkup(createElement(Fact, { term: 'Card on file', children })).replace(/<[^>]*>/g, '|');

test.each([[[null]], [['']], [[false, null]], [[null, '']]])('shows a dash when all parts are empty: %j', (parts) => {
  expect(render(...parts)).toContain('|–|');
});

test.each([[['Visa 4242']], [[null, 'It runs out soon.']], [[0]]])('shows the known parts: %j', (parts) => {
  expect(render(...parts)).not.toContain('–');
  expect(render(...parts)).toContain(String(parts.at(-1)));
});
