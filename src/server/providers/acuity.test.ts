import { afterEach, expect, it, vi } from 'vitest';
import type { ProviderContext } from '../core/context.ts';
import { createAcuity } from './acuity.ts';
import { LARGEST_ID } from './scheduling-provider.ts';

afterEach(() => void vi.restoreAllMocks());

const acuity = createAcuity(
  {
    config: { acuity: { apiUrl: 'https://acuity.example.test' }, providerTimeoutMs: 1000 },
    providers: { scheduling: { run: (work: () => unknown) => work(), backOff: () => {} } },
  } as unknown as ProviderContext,
  { userId: '1', apiKey: 'key' },
);

const appointment = (id: number, more: object = {}) => ({
  ...{ id, datetime: '2026-06-01T09:00:00-0400', duration: '30', type: 'Visit', appointmentTypeID: 21 },
  ...{ calendar: 'Rowan Example', calendarID: 11, canceled: false, ...more },
});

it('lists appointments whose ids cannot be stored as unreadable', async () => {
  const tooLarge = LARGEST_ID + 1;
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(
    Response.json([
      appointment(LARGEST_ID),
      appointment(tooLarge),
      appointment(2, { calendarID: tooLarge }),
      appointment(3, { appointmentTypeID: tooLarge }),
    ]),
  );
  const { items, unreadable } = await acuity.appointmentsBetween({ firstDay: '2026-06-01', lastDay: '2026-06-01' });
  expect(items.map(({ id }) => id)).toEqual([LARGEST_ID]);
  expect(unreadable).toEqual([tooLarge, 2, 3]);
});

it('returns the reason for each calendar without a free slot, in neutral terms', async () => {
  const codes = {
    not_available: 'not_available',
    no_available_calendar: 'not_available',
    not_available_min_hours_in_advance: 'notice_too_short',
    not_available_max_days_in_advance: 'too_far_ahead',
    invalid_appointment_type: 'type_not_offered',
    invalid_calendar: 'type_not_offered',
    not_available_for_another_reason: 'other',
    constructor: 'other',
    '': 'other',
  };
  const errors = [...Object.keys(codes), null, undefined];
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(errors.map((error) => ({ valid: false, error }))));
  const checks = await acuity.check(
    '2026-06-01T09:00:00-0400',
    21,
    errors.map((_, index) => index),
  );
  expect(checks.map(({ reason }) => reason)).toEqual([...Object.values(codes), null, null]);
});

it('declines with a reason and Acuity’s code only if Acuity understood the request', async () => {
  const declined = async (status: number, body?: object) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(
      async () => new Response(body && JSON.stringify(body), { status }),
    );
    const { code, effect, reason, providerCode } = await acuity
      .reschedule(1, '2026-06-01T09:00:00-0400', { quiet: true })
      .then(
        () => Promise.reject(new Error('not declined')),
        (error) => error,
      );
    return [code, effect, reason, providerCode];
  };
  expect(await declined(404, { error: 'not_found' })).toEqual(['provider_error', 'none', 'not_found', 'not_found']);
  expect(await declined(404)).toEqual(['provider_error', 'none', 'other', 'status_404']);
  expect(await declined(400, { error: 'required_field' })).toEqual([
    ...['provider_error', 'none', 'fields_required', 'required_field'],
  ]);
  expect(await declined(403)).toEqual(['integration_misconfigured', 'none', 'other', 'status_403']);
  expect(await declined(401, { error: 'unauthorized' })).toEqual([
    ...['integration_misconfigured', 'none', 'other', 'unauthorized'],
  ]);
  expect(await declined(429, { error: 'too_many_requests' })).toEqual(['provider_unavailable', 'none', null, null]);
  expect(await declined(503, { error: 'not_available' })).toEqual(['provider_unavailable', 'unknown', null, null]);
  expect(await declined(200, {})).toEqual(['provider_error', 'unknown', null, null]);
});
