import { type Appearance, node, styledHost } from './styled-host.ts';

/** Shows a bank's 3-D Secure dialog; dismissing it fails the authentication. */
export function challenge(
  intent: { amount?: number; currency?: string },
  appearance: Appearance | undefined,
): Promise<'succeeded' | 'failed'> {
  const { host, root } = styledHost(appearance);
  const complete = node('button', { type: 'button' }, 'Complete authentication');
  const fail = node('button', { type: 'button' }, 'Fail authentication');
  const dialog = node(
    'dialog',
    { 'aria-labelledby': 'title', 'aria-describedby': 'what' },
    node('h2', { id: 'title' }, '3-D Secure authentication'),
    node('p', { id: 'what' }, `The test bank asks you to confirm ${subject(intent)}.`),
    node('div', { class: 'buttons' }, complete, fail),
  );
  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  return new Promise<'succeeded' | 'failed'>((resolve) => {
    complete.addEventListener('click', () => resolve('succeeded'));
    fail.addEventListener('click', () => resolve('failed'));
    dialog.addEventListener('cancel', () => resolve('failed'));
  }).finally(() => host.remove());
}

function subject({ amount, currency }: { amount?: number; currency?: string }): string {
  if (amount === undefined || currency === undefined) return 'that this card is saved';
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  return `the payment of ${format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))}`;
}
