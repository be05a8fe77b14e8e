import { passesLuhn } from '../billing/luhn.ts';
import { type Appearance, applyStyles, node, styledHost } from './styled-host.ts';

const FIELDS = [
  { name: 'number', label: 'Card number', autocomplete: 'cc-number', placeholder: '1234 1234 1234 1234', wide: true },
  { name: 'expiry', label: 'Expiration date', autocomplete: 'cc-exp', placeholder: 'MM / YY', wide: false },
  { name: 'cvc', label: 'Security code', autocomplete: 'cc-csc', placeholder: 'CVC', wide: false },
] as const;

type FieldName = (typeof FIELDS)[number]['name'];
type TypedValues = Record<FieldName, string>;

interface FieldProblem {
  field: FieldName;
  code: string;
  message: string;
}

const digits = (text: string) => text.replaceAll(/\D/g, '');

/** Formats the input while the cardholder types. */
const FORMATS: Record<FieldName, (text: string) => string> = {
  number: (text) =>
    digits(text)
      .slice(0, 19)
      .replaceAll(/(.{4})(?=.)/g, '$1 '),
  expiry: (text) =>
    digits(text)
      .replace(/^([2-9])/, '0$1')
      .slice(0, 4)
      .replace(/^(\d\d)(\d)/, '$1 / $2'),
  cvc: (text) => digits(text).slice(0, 4),
};

/** Returns the first problem of the entered card; undefined when it is valid. */
function findProblem({ number, expiry, cvc }: TypedValues, today = new Date()): FieldProblem | undefined {
  const card = digits(number);
  const [month, year] = [Number(digits(expiry).slice(0, 2)), 2000 + Number(digits(expiry).slice(2))];
  const wrong = (field: FieldName, code: string, message: string) => ({ field, code, message });
  if (card.length < 13) return wrong('number', 'incomplete_number', 'Your card number is incomplete.');
  if (!passesLuhn(card)) return wrong('number', 'invalid_number', 'Your card number is invalid.');
  if (digits(expiry).length < 4 || month < 1 || month > 12) {
    return wrong('expiry', 'incomplete_expiry', "Your card's expiration date is incomplete.");
  }
  if (new Date(year, month) <= today) {
    return wrong('expiry', 'invalid_expiry_year_past', "Your card's expiration year is in the past.");
  }
  if (cvc.length < 3) return wrong('cvc', 'incomplete_cvc', "Your card's security code is incomplete.");
  return undefined;
}

export interface StripeJsError {
  type: string;
  code?: string;
  message: string;
  [field: string]: unknown;
}

export type ReadCard = { error: StripeJsError } | { data: { type: 'card'; card: Record<string, string> } };
type Listener = (event: Record<string, unknown>) => void;
export type CardElement = ReturnType<typeof createCardElement>;

/** Creates the labelled card form for a "payment" or "card" element. */
export function createCardElement(type: string, appearance: Appearance | undefined) {
  if (type !== 'payment' && type !== 'card') throw new Error(`The "${type}" element is not emulated.`);
  const { host, root } = styledHost(appearance);
  const listeners = new Map<string, Listener[]>();
  const emit = (name: string, detail: Record<string, unknown> = {}) => {
    for (const listener of listeners.get(name) ?? []) listener({ elementType: type, ...detail });
  };
  const error = node('p', { class: 'error wide', role: 'alert', id: 'error' });
  const inputs = Object.fromEntries(FIELDS.map((field) => [field.name, inputFor(field)])) as Record<
    FieldName,
    HTMLInputElement
  >;
  const typed = () => Object.fromEntries(FIELDS.map(({ name }) => [name, inputs[name].value])) as TypedValues;
  const show = (problem: Partial<FieldProblem> | undefined) => {
    for (const { name } of FIELDS) inputs[name].setAttribute('aria-invalid', String(problem?.field === name));
    error.textContent = problem?.message ?? '';
  };
  const changed = () => {
    const complete = findProblem(typed()) === undefined;
    const empty = Object.values(typed()).every((value) => value === '');
    emit('change', { complete, empty, collapsed: false, value: { type: 'card' } });
  };

  const form = node('form', { novalidate: '' });
  for (const { name, label, wide } of FIELDS) {
    const input = inputs[name];
    input.addEventListener('input', () => {
      input.value = FORMATS[name](input.value);
      show(undefined);
      changed();
    });
    input.addEventListener('focus', () => emit('focus'));
    input.addEventListener('blur', () => emit('blur'));
    input.addEventListener('keydown', ({ key }) => key === 'Escape' && emit('escape'));
    form.append(node('div', wide ? { class: 'wide' } : {}, node('label', { for: name }, label), input));
  }
  form.append(error);
  form.addEventListener('submit', (event) => event.preventDefault());
  root.append(form);

  const element = {
    mount(target: string | HTMLElement) {
      const parent = typeof target === 'string' ? document.querySelector(target) : target;
      if (!parent) throw new Error('The node to mount into was not found.');
      parent.append(host);
      setTimeout(() => emit('ready'));
    },
    on(name: string, listener: Listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
      return element;
    },
    off(name: string, listener?: Listener) {
      const remaining = (listeners.get(name) ?? []).filter((other) => listener && other !== listener);
      listeners.set(name, remaining);
      return element;
    },
    once(name: string, listener: Listener) {
      const onceListener: Listener = (event) => {
        element.off(name, onceListener);
        listener(event);
      };
      return element.on(name, onceListener);
    },
    update() {},
    collapse() {},
    focus: () => inputs.number.focus(),
    blur: () => (root.activeElement as HTMLElement | null)?.blur(),
    clear() {
      for (const input of Object.values(inputs)) input.value = '';
      changed();
    },
    unmount: () => host.remove(),
    destroy: () => host.remove(),
    _dress: (next: Appearance | undefined) => applyStyles(host, next),
    _show: show,
    /** Returns the card's form parameters, or the validation error. */
    _read(): ReadCard {
      const problem = findProblem(typed());
      show(problem);
      if (problem) return { error: { type: 'validation_error', code: problem.code, message: problem.message } };
      const { number, expiry, cvc } = typed();
      const [exp_month, exp_year] = [digits(expiry).slice(0, 2), digits(expiry).slice(2)];
      return { data: { type: 'card', card: { number: digits(number), exp_month, exp_year, cvc } } };
    },
  };
  return element;
}

function inputFor({ name, autocomplete, placeholder }: (typeof FIELDS)[number]): HTMLInputElement {
  return node('input', { id: name, autocomplete, placeholder, inputmode: 'numeric', 'aria-describedby': 'error' });
}
