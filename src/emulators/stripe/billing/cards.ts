import type { CardProblem } from '../wire/errors.ts';

/** The behavior of a card from Stripe's testing page. */
export interface TestCard {
  number: string;
  brand: 'visa' | 'mastercard' | 'amex';
  funding: 'credit' | 'debit';
  /** Payment method ids that represent this card without its number. */
  aliases: string[];
  /** The error of setting up or attaching the card. */
  setupProblem?: CardProblem;
  chargeProblem?: CardProblem;
  authentication?: 'always' | 'unless_set_up';
  /** The cardholder disputes each payment immediately. */
  dispute?: { reason: string; inquiry: boolean };
  /** Refunds are first pending and then get this status. */
  refund?: 'succeeded' | 'failed';
}

const declined = (decline_code: string, message = 'Your card was declined.'): CardProblem => ({
  code: 'card_declined',
  decline_code,
  message,
});
const INSUFFICIENT_FUNDS = declined('insufficient_funds', 'Your card has insufficient funds.');
export const AUTHENTICATION_REQUIRED: CardProblem = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

function card(number: string, aliases: string, behaviour: Partial<TestCard> = {}): TestCard {
  return { number, brand: 'visa', funding: 'credit', aliases: aliases.split(' '), ...behaviour };
}

function failing(number: string, name: string, problem: CardProblem): TestCard {
  return card(number, `pm_card_${name} pm_card_visa_${name}`, { setupProblem: problem, chargeProblem: problem });
}

export const TEST_CARDS: TestCard[] = [
  card('4242424242424242', 'pm_card_visa pm_card_us'),
  card('4000056655665556', 'pm_card_visa_debit', { funding: 'debit' }),
  card('5555555555554444', 'pm_card_mastercard', { brand: 'mastercard' }),
  card('378282246310005', 'pm_card_amex', { brand: 'amex' }),
  failing('4000000000000002', 'chargeDeclined', declined('generic_decline')),
  failing('4000000000009995', 'chargeDeclinedInsufficientFunds', INSUFFICIENT_FUNDS),
  failing('4000000000009987', 'chargeDeclinedLostCard', declined('lost_card')),
  failing('4000000000009979', 'chargeDeclinedStolenCard', declined('stolen_card')),
  failing('4100000000000019', 'chargeDeclinedFraudulent', declined('fraudulent')),
  failing('4000000000000069', 'chargeDeclinedExpiredCard', {
    code: 'expired_card',
    message: 'Your card has expired.',
    param: 'exp_month',
  }),
  failing('4000000000000127', 'chargeDeclinedIncorrectCvc', {
    code: 'incorrect_cvc',
    message: "Your card's security code is incorrect.",
    param: 'cvc',
  }),
  failing('4000000000000119', 'chargeDeclinedProcessingError', {
    code: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  }),
  card('4000000000000259', 'pm_card_createDispute', { dispute: { reason: 'fraudulent', inquiry: false } }),
  card('4000000000002685', 'pm_card_createDisputeProductNotReceived', {
    dispute: { reason: 'product_not_received', inquiry: false },
  }),
  card('4000000000001976', 'pm_card_createDisputeInquiry', { dispute: { reason: 'fraudulent', inquiry: true } }),
  card('4000000000007726', 'pm_card_pendingRefund', { refund: 'succeeded' }),
  card('4000000000005126', 'pm_card_refundFail', { refund: 'failed' }),
  card('4000000000000341', 'pm_card_chargeCustomerFail', { chargeProblem: declined('generic_decline') }),
  card('4000002500003155', 'pm_card_authenticationRequiredOnSetup', { authentication: 'unless_set_up' }),
  card('4000002760003184', 'pm_card_authenticationRequired', { authentication: 'always' }),
  card('4000000000003220', 'pm_card_threeDSecure2Required', { authentication: 'always' }),
  card('4000008400001629', 'pm_card_authenticationRequiredChargeDeclined', {
    authentication: 'always',
    chargeProblem: declined('generic_decline'),
  }),
  card('4000008260003178', 'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds', {
    authentication: 'always',
    chargeProblem: INSUFFICIENT_FUNDS,
  }),
];

export const cardByNumber = (number: string) => TEST_CARDS.find((card) => card.number === number);
/** @throws Error for another number, which no payment method has */
export function testCard(number: string): TestCard {
  const card = cardByNumber(number);
  if (!card) throw new Error('No test card');
  return card;
}
export const cardByAlias = (alias: string) => TEST_CARDS.find(({ aliases }) => aliases.includes(alias));

export type Decision = { type: 'approved' } | { type: 'authenticate' } | { type: 'declined'; problem: CardProblem };

export interface Attempt {
  purpose: 'charge' | 'setup';
  /** The cardholder has just passed 3-D Secure for this attempt. */
  authenticated: boolean;
  /** The cardholder is not present to authenticate. */
  offSession: boolean;
  /** The method was authenticated for later use before. */
  setUp: boolean;
}

/** Returns the bank's decision on one attempt. */
export function decideAttempt(test: TestCard, attempt: Attempt): Decision {
  const problem = attempt.purpose === 'setup' ? test.setupProblem : test.chargeProblem;
  const isChallenged = test.authentication === 'always' || (test.authentication === 'unless_set_up' && !attempt.setUp);
  if (isChallenged && !attempt.authenticated) {
    return attempt.offSession ? { type: 'declined', problem: AUTHENTICATION_REQUIRED } : { type: 'authenticate' };
  }
  return problem ? { type: 'declined', problem } : { type: 'approved' };
}
