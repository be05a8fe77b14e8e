import type { Outcome } from './run-job.ts';

const WIDTH = 34;
const number = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Formats the medians of each side, and each goal with its value. */
export function report({ id, title, medians, goals }: Outcome): string {
  const sides = Object.entries(medians).map(([name, figures]) => {
    const cells = Object.entries(figures).map(([unit, value]) => `${number(value).padStart(7)} ${unit.padEnd(10)}`);
    return `  ${name.padEnd(WIDTH)}${cells.join('  ').trimEnd()}`;
  });
  const lines = goals.map(({ words, value, met }) => `  ${met ? '✓ met   ' : '✗ missed'}  ${words}: ${number(value)}`);
  return [`\n${id} ${title}`, ...sides, ...lines].join('\n');
}
