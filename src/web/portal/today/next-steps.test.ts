import { expect, test } from 'vitest';
import { getNextSteps } from './next-steps.ts';

type Status = 'connected' | 'degraded' | 'disconnected';
const stepsOf = (stripe: Status, acuity: Status, more: object = {}) =>
  getNextSteps({
    integrations: [
      { provider: 'stripe', status: stripe },
      { provider: 'acuity', status: acuity },
    ],
    ...{ hasPatients: true, hasAppointments: false, setup: null, ...more },
  });

test('lists the next steps of a new clinic until all are done', () => {
  expect(getNextSteps({ integrations: [], hasPatients: false, hasAppointments: false, setup: null })).toEqual({
    ...{ payments: 'open', times: 'open', patient: 'open' },
  });
  expect(stepsOf('degraded', 'connected')).toEqual({ payments: 'begun', times: 'done', patient: 'done' });
  expect(stepsOf('connected', 'connected')).toBeNull();
});

test('does not treat a clinic with appointments as new because Acuity is disconnected or degraded', () => {
  for (const acuity of ['disconnected', 'degraded'] as const) {
    expect(stepsOf('connected', acuity)).toMatchObject({ times: expect.stringMatching(/open|begun/) });
    expect(stepsOf('connected', acuity, { hasAppointments: true })).toBeNull();
    expect(stepsOf('disconnected', acuity, { hasAppointments: true })).toMatchObject({ payments: 'open' });
  }
});

test('includes plan, logo and colleagues until the first appointment, for those who set up the clinic', () => {
  const setup = { hasPlans: true, hasLogo: false, hasColleagues: false };
  expect(stepsOf('connected', 'connected', { setup })).toMatchObject({
    ...{ payments: 'done', plan: 'done', logo: 'open', colleagues: 'open' },
  });
  expect(stepsOf('connected', 'connected', { setup, hasAppointments: true })).toBeNull();
  const complete = { hasPlans: true, hasLogo: true, hasColleagues: true };
  expect(stepsOf('connected', 'connected', { setup: complete })).toBeNull();
});
