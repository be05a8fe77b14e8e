import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contrast, GROUNDS, shadesOf, TEXT_CONTRAST, type Theme, UI_CONTRAST } from './brand-shades.ts';

const THEMES: Theme[] = ['light', 'dark'];
/** Six steps of each channel, and typical brand colours. */
const STEPS = Array.from({ length: 6 }, (_, step) => (step * 51).toString(16).padStart(2, '0'));
const COLOURS = [
  ...STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue) => `#${red}${green}${blue}`))),
  '#f97316',
  '#fde047',
  '#0b6b66',
];

test('contrast() follows the WCAG formula', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#0b6b66', '#0b6b66')).toBe(1);
});

describe.each(THEMES)('in the %s theme', (theme) => {
  const grounds = Object.values(GROUNDS[theme]);

  test('every colour gets shades with enough contrast to their backgrounds', () => {
    const faults = COLOURS.flatMap((colour) => {
      const shades = shadesOf(colour, theme);
      const checks: [string, number, number][] = [
        ['text on it', contrast(shades['on-accent'], shades.accent), TEXT_CONTRAST],
        ['text on it under the pointer', contrast(shades['on-accent'], shades['accent-hover']), TEXT_CONTRAST],
        ['text of it on its soft shade', contrast(shades['accent-ink'], shades['accent-soft']), TEXT_CONTRAST],
        ...grounds.flatMap((ground): [string, number, number][] => [
          ['text of it', contrast(shades['accent-ink'], ground), TEXT_CONTRAST],
          ['a button', contrast(shades.accent, ground), UI_CONTRAST],
          ['the focus ring', contrast(shades.ring, ground), UI_CONTRAST],
        ]),
      ];
      return checks.filter(([, has, needs]) => has < needs).map(([what, has]) => `${colour}: ${what} ${has}`);
    });
    expect(faults).toEqual([]);
  });

  test('GROUNDS matches the style sheet', () => {
    const sheet = readFileSync(path.resolve(import.meta.dirname, '../app/globals.css'), 'utf8');
    const block = sheet.split(theme === 'light' ? /^:root \{/m : /^\[data-theme='dark'\] \{/m)[1]!.split('}')[0]!;
    for (const [name, colour] of Object.entries(GROUNDS[theme])) expect(block).toContain(`--${name}: ${colour};`);
  });
});

test('an accessible colour is unchanged, and an adjusted colour keeps its hue', () => {
  expect(shadesOf('#0b6b66', 'light').accent).toBe('#0b6b66');
  expect(shadesOf('#58c4b8', 'dark').accent).toBe('#58c4b8');
  const [red, green, blue] = [1, 3, 5].map((at) =>
    Number.parseInt(shadesOf('#f97316', 'light').accent.slice(at, at + 2), 16),
  );
  expect(red).toBeGreaterThan(green!);
  expect(green).toBeGreaterThan(blue!);
});
