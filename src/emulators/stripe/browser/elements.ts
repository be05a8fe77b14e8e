import { type CardElement, createCardElement } from './card-element.ts';
import type { Appearance } from './styled-host.ts';

export interface ElementsSettings {
  clientSecret?: string;
  appearance?: Appearance;
}

export type Elements = ReturnType<typeof createElements>;

/** Returns the object of `stripe.elements(options)`, with at most one card form, as "payment" or "card". */
export function createElements(settings: ElementsSettings) {
  const made = new Map<string, CardElement>();
  const card = () => made.get('payment') ?? made.get('card');
  const elements = {
    create(type: string) {
      const element = createCardElement(type, settings.appearance);
      made.set(type, element);
      return element;
    },
    getElement: (type: string) => made.get(type) ?? null,
    update(options: ElementsSettings) {
      Object.assign(settings, options);
      if (options.appearance) for (const element of made.values()) element._dress(settings.appearance);
    },
    fetchUpdates: async () => ({}),
    async submit() {
      const read = card()?._read();
      if (!read) return { error: { type: 'invalid_request_error', message: 'No element is mounted.' } };
      return 'error' in read ? { error: read.error } : { selectedPaymentMethod: 'card' };
    },
    on: () => elements,
    off: () => elements,
    _card: card,
    _settings: settings,
  };
  return elements;
}
