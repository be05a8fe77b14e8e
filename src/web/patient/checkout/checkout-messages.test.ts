import { describe, expect, it } from 'vitest';
import { outcomeOf, stripeErrorMessage } from './checkout-messages.ts';

describe('checkout page texts', () => {
  it('shows Stripe’s messages about a card, and hides those for developers', () => {
    expect(stripeErrorMessage({ type: 'card_error', message: 'Your card was declined.' })).toBe(
      'Your card was declined.',
    );
    expect(stripeErrorMessage({ type: 'validation_error', message: 'Your card number is incomplete.' })).toBeNull();
    const state = { type: 'invalid_request_error', message: 'This PaymentIntent’s status is succeeded, but must be …' };
    expect(stripeErrorMessage({ ...state, code: 'payment_intent_unexpected_state' })).toBe('done');
    expect(stripeErrorMessage({ ...state, code: 'setup_intent_unexpected_state' })).toBe('done');
    const bank = { code: 'payment_intent_authentication_failure', message: 'We are unable to authenticate …' };
    expect(stripeErrorMessage({ type: 'invalid_request_error', ...bank })).toBe(bank.message);
    expect(stripeErrorMessage({ type: 'api_connection_error' })).toContain('try again');
  });

  it('tells a subscription paused on request from one that waits for a card', () => {
    const paused = { status: 'paused' as const, pause_reason: 'pause_requested' };
    expect(outcomeOf(paused)).toBe('done');
    expect(outcomeOf({ ...paused, pause_reason: 'trial_end_without_payment_method' })).toBe('working');
  });

  it.each([
    ['active', 'done'],
    ['trialing', 'done'],
    ['incomplete', 'working'],
    ['past_due', 'working'],
    ['canceled', 'ended'],
    ['incomplete_expired', 'ended'],
  ] as const)('maps the status %s to %s', (status, outcome) => {
    expect(outcomeOf({ status, pause_reason: null })).toBe(outcome);
  });
});
