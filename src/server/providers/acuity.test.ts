import { afterEach, expect, it, vi } from 'vitest';
import type { ProviderContext } from '../core/context.ts';
import { createAcuity } from './acuity.ts';
import { LARGEST_ID } from './scheduling-provider.ts';

afterEach(() => void vi.restoreAllMocks());

const appointment = (id: number, more: object = {}) => ({
  ...{ id, datetime: '2026-06-01T09:00:00-0400', duration: '30', type: 'Visit', appointmentTypeID: 21 },
  ...{ calendar: 'Rowan Example', calendarID: 11, canceled: false, ...more },
});

it('lists what has an id that cannot be stored as unreadable', async () => {
  const tooLarge = LARGEST_ID + 1;
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(
    Response.json([
      appointment(LARGEST_ID),
      appointment(tooLarge),
      appointment(2, { calendarID: tooLarge }),
      appointment(3, { appointmentTypeID: tooLarge }),
    ]),
  );
  const acuity = createAcuity(
    {
      config: { acuity: { apiUrl: 'https://acuity.example.test' }, providerTimeoutMs: 1000 },
      kept: { providers: { scheduling: { run: (work: () => unknown) => work() } } },
    } as unknown as ProviderContext,
    { userId: '1', apiKey: 'key' },
  );
  const { items, unreadable } = await acuity.appointmentsBetween({ firstDay: '2026-06-01', lastDay: '2026-06-01' });
  expect(items.map(({ id }) => id)).toEqual([LARGEST_ID]);
  expect(unreadable).toEqual([tooLarge, 2, 3]);
});
