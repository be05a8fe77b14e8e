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
    summary: "List recent setups to save a patient's card; patients must pass their own id in patient_id",
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
    summary: 'Start saving a card for later, for example before a trial; nothing is charged',
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
    summary: "List a patient's cards and other saved payment methods; patients must pass their own id in patient_id",
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
    summary: 'Set the card that all current and future subscriptions of a patient are charged to',
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
    summary: 'Remove a card; another one takes its place, and the only one stays while a payment is due',
    input: RemovePaymentMethodInput,
    output: PaymentMethodView,
    scope: 'subscriptions:write',
  },
];
