import type { AddressChangeView } from '#contract/address-changes.ts';

export const KIND_LABELS: Record<AddressChangeView['kind'], string> = {
  email: 'your email address',
  phone_number: 'your phone number',
};

export const addressLabel = ({ kind, address }: Pick<AddressChangeView, 'kind' | 'address'>): string =>
  kind === 'email' ? `the email address ${address}` : `the phone number that ends in ${address.replace(/\D/g, '')}`;

/** How the user signs in after the change was undone. */
export const nextSignInMessage = ({ clinic, needs }: Pick<AddressChangeView, 'clinic' | 'needs'>): string =>
  needs === 'password'
    ? 'you sign in with your password, and choose a new one.'
    : `you sign in again with the help of ${clinic}, which makes sure that it is you.`;

/** The texts for a change that is undone or can no longer be undone. */
export function outcomeMessages(change: AddressChangeView): { title: string; text: string; next: string } {
  const { clinic, state, restored, needs } = change;
  if (state === 'over')
    return {
      title: 'This link does not work any more',
      text: 'It works for 72 hours, and not after an earlier change was undone or your clinic has helped you.',
      next: `If something is wrong with your account, contact ${clinic}.`,
    };
  const help = `To sign in again, contact ${clinic}. The team makes sure that it is you, and helps.`;
  if (!restored)
    return {
      title: 'Your account is safe, but locked',
      text: `Another account has ${addressLabel(change)} by now, so it could not be put back. Every device is signed out.`,
      next: help,
    };
  return {
    title: 'The change is undone',
    text: `Your account has ${addressLabel(change)} again, and every device is signed out.`,
    next:
      needs === 'clinic'
        ? help
        : needs === 'password'
          ? 'To sign in again, use your password in the app. You will be asked to choose a new one.'
          : 'You can sign in as usual.',
  };
}
