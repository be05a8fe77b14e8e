import { expect, test } from 'vitest';
import { nextStepsOf } from './next-steps.ts';

type Status = 'connected' | 'degraded' | 'disconnected';
const stepsOf = (stripe: Status, acuity: Status, more: object = {}) =>
  nextStepsOf({
    integrations: [
      { provider: 'stripe', status: stripe },
      { provider: 'acuity', status: acuity },
    ],
    ...{ hasPatients: true, hasVisits: false, ...more },
  });

test('a clinic that has just begun is told its next steps, until all are done', () => {
  expect(nextStepsOf({ integrations: [], hasPatients: false, hasVisits: false })).toEqual({
    ...{ payments: 'open', times: 'open', patient: 'open' },
  });
  expect(stepsOf('degraded', 'connected')).toEqual({ payments: 'begun', times: 'done', patient: 'done' });
  expect(stepsOf('connected', 'connected')).toBeNull();
});

test('a clinic that has had visits is no beginner because Acuity is disconnected or degraded', () => {
  for (const acuity of ['disconnected', 'degraded'] as const) {
    expect(stepsOf('connected', acuity)).toMatchObject({ times: expect.stringMatching(/open|begun/) });
    expect(stepsOf('connected', acuity, { hasVisits: true })).toBeNull();
    expect(stepsOf('disconnected', acuity, { hasVisits: true })).toMatchObject({ payments: 'open' });
  }
});
