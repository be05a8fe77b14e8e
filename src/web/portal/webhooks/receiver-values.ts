import { z } from 'zod';
import type { CreateWebhookEndpointInput, WebhookEndpointView } from '#contract/webhooks.ts';

/** Deliberate faults of deliveries as form values, where a choice is a string. */
const FaultInjection = z.object({
  duplicates: z.string(),
  delay_ms: z.string(),
  fail_first: z.string(),
  reorder: z.boolean(),
});

/** Form schema. `existing` is the receiver to change: a new target for health data needs a new confirmation. */
export const receiverValues = (existing: WebhookEndpointView | null) =>
  z
    .object({
      url: z
        .string()
        .trim()
        .min(1, 'Enter the address of your receiver.')
        .max(2000, 'This address is too long.')
        .refine((url) => URL.canParse(url), 'This is not an address. It begins with https://'),
      description: z.string().trim().max(500, 'Use at most 500 characters.'),
      event_types: z.array(z.string()).min(1, 'Choose at least one thing, or everything.'),
      payload: z.enum(['thin', 'snapshot']),
      health_data_confirmed: z.boolean(),
      chaos: FaultInjection,
    })
    .refine((values) => values.health_data_confirmed || !mustConfirm(values, existing), {
      path: ['health_data_confirmed'],
      error: 'Confirm that health data may be sent to this address.',
    });
export type ReceiverValues = z.infer<ReturnType<typeof receiverValues>>;

export const mustConfirm = (
  { payload, url }: { payload: 'thin' | 'snapshot'; url: string },
  existing: WebhookEndpointView | null,
): boolean => payload === 'snapshot' && (existing?.payload !== 'snapshot' || existing.url !== hrefOf(url));

const hrefOf = (url: string): string => (URL.canParse(url.trim()) ? new URL(url.trim()).href : url);

export function valuesOf(existing: WebhookEndpointView | null): ReceiverValues {
  const { duplicates = 0, delay_ms = 0, fail_first = 0, reorder = false } = existing?.chaos ?? {};
  return {
    url: existing?.url ?? '',
    description: existing?.description ?? '',
    event_types: existing?.event_types ?? [],
    payload: existing?.payload ?? 'thin',
    health_data_confirmed: false,
    chaos: {
      duplicates: String(duplicates),
      delay_ms: String(delay_ms),
      fail_first: String(fail_first),
      reorder: reorder === true,
    },
  };
}

/** Input for the server. Only a sandbox is sent fault settings. */
export function inputOf(values: ReceiverValues, { isSandbox }: { isSandbox: boolean }): CreateWebhookEndpointInput {
  const { health_data_confirmed, chaos, ...plain } = values;
  const faults = {
    duplicates: Number(chaos.duplicates),
    delay_ms: Number(chaos.delay_ms),
    fail_first: Number(chaos.fail_first),
    reorder: chaos.reorder,
  };
  const hasNoFaults = !Object.values(faults).some(Boolean);
  return {
    ...plain,
    ...(health_data_confirmed && { health_data_confirmed }),
    ...(isSandbox && { chaos: hasNoFaults ? null : faults }),
  };
}

/** Fields that differ from the existing receiver; the audit log records these as changed. */
export function changesOf(
  values: ReceiverValues,
  existing: WebhookEndpointView,
  environment: { isSandbox: boolean },
): Partial<CreateWebhookEndpointInput> {
  const previous = inputOf(valuesOf(existing), environment) as Record<string, unknown>;
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(previous[name]);
  return Object.fromEntries(Object.entries(inputOf(values, environment)).filter(differs));
}
