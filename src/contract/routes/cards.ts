import { z } from 'zod';
import {
  CreateSetupIntentInput,
  ListPaymentMethodsInput,
  ListSetupIntentsInput,
  PaymentMethodView,
  RemovePaymentMethodInput,
  SetDefaultPaymentMethodInput,
  SetupIntentView,
} from '../cards.ts';
import type { Route } from './route.ts';

const tag = { tag: 'Cards', patient: true } as const;

export const CARD_ROUTES: Route[] = [
  {
    ...tag,
    method: 'GET',
    path: '/setup_intents',
    procedure: 'cards.listSetups',
    summary: 'What was begun of late to save cards of a patient; a patient must name itself in patient_id',
    input: ListSetupIntentsInput,
    output: z.array(SetupIntentView),
    list: 'array',
    scope: 'subscriptions:read',
  },
  {
    ...tag,
    method: 'POST',
    path: '/setup_intents',
    procedure: 'cards.startSetup',
    does: ['cards.start_setup'],
    summary: 'Begin to save a card for later, as before a trial; nothing is charged',
    input: CreateSetupIntentInput,
    output: SetupIntentView,
    status: 201,
    scope: 'subscriptions:write',
    wrapper: 'setup_intent',
  },
  {
    ...tag,
    method: 'GET',
    path: '/payment_methods',
    procedure: 'cards.list',
    summary: "A patient's cards and other payment methods on file; a patient must name itself in patient_id",
    input: ListPaymentMethodsInput,
    output: z.array(PaymentMethodView),
    list: 'array',
    scope: 'subscriptions:read',
  },
  {
    ...tag,
    method: 'PATCH',
    path: '/payment_methods/{id}',
    procedure: 'cards.setDefault',
    summary: 'Have all live subscriptions of a patient, and those to come, paid with a card',
    input: SetDefaultPaymentMethodInput,
    output: PaymentMethodView,
    scope: 'subscriptions:write',
    wrapper: 'payment_method',
  },
  {
    ...tag,
    method: 'DELETE',
    path: '/payment_methods/{id}',
    procedure: 'cards.remove',
    summary: 'Take a card off file; another takes its place, and the only one stays while something is to be paid',
    input: RemovePaymentMethodInput,
    output: PaymentMethodView,
    scope: 'subscriptions:write',
  },
];
