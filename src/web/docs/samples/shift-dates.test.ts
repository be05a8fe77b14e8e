import { describe, expect, it } from 'vitest';
import { openApiDocument } from '#contract/openapi.ts';
import type { OpenApiDocument } from '../reference/open-api.ts';
import { readReference } from '../reference/read-reference.ts';
import { shiftDates, shiftPageDates } from './shift-dates.ts';

const NOWS = ['2026-11-16T12:00:00Z', '2026-11-23T23:59:59Z', '2027-07-11T12:00:00Z', '2030-01-07T00:00:00Z'];
const document = openApiDocument({
  baseUrl: 'https://care.example.test/api/v1',
  tokenUrl: 'https://care.example.test/',
});
const groups = readReference(document as OpenApiDocument);

describe('dates in examples', () => {
  it.each(NOWS)('are moved to the next two weeks on the same weekdays, on %s', (instant) => {
    const now = new Date(instant);
    const [monday, tuesday] = shiftDates('2026-11-23, 2026-11-24', now)
      .split(', ')
      .map((date) => new Date(date));
    expect(monday!.getUTCDay()).toBe(1);
    expect(tuesday!.getTime() - monday!.getTime()).toBe(86_400_000);
    expect(monday!.getTime()).toBeGreaterThan(now.getTime());
    expect(monday!.getTime() - now.getTime()).toBeLessThanOrEqual(7 * 86_400_000);
  });

  it('have the clinic’s offset in summer too, in the same format', () => {
    const july = new Date('2027-07-11T12:00:00Z');
    expect(shiftDates('2026-11-23T09:00:00-05:00', july)).toBe('2027-07-12T09:00:00-04:00');
    expect(shiftDates('2026-11-23T09:00:00-0500', july)).toBe('2027-07-12T09:00:00-0400');
    expect(shiftDates('2026-11-16T15:04:05.000Z', july)).toBe('2027-07-05T15:04:05.000Z');
  });

  it('leave birth dates, ids and versions unchanged', () => {
    for (const text of ['1990-04-12', '1990-02-31', 'a2026-11-23', '2026-11-23-x', '2026-13-41'])
      expect(shiftDates(text, new Date(NOWS[3]!))).toBe(text);
  });

  it.each(NOWS)('are in the future in every booking sample, on %s', (instant) => {
    const now = new Date(instant);
    const heading = 'Reference' as const;
    const pages = groups.map((group) =>
      shiftPageDates({ kind: 'resource', path: '/docs', title: '', description: '', heading, group }, now),
    );
    const samples = pages.flatMap((page) => (page.kind === 'resource' ? page.group.operations : []));
    const booked = samples.find(({ method, path }) => method === 'POST' && path === '/appointments')!;
    for (const sample of Object.values(booked.samples)) {
      const [, from] = /from_date\W+(\d{4}-[\dT:-]+)/.exec(sample) ?? [];
      expect(Date.parse(from!)).toBeGreaterThan(now.getTime());
    }
  });

  it('leave changelogs of packages unchanged', () => {
    const page = {
      kind: 'text',
      path: '',
      title: '',
      description: '',
      heading: 'Packages',
      markdown: '2026-11-23',
    } as const;
    expect(shiftPageDates(page, new Date(NOWS[3]!))).toEqual(page);
  });
});
