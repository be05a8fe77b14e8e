import type { Appearance } from '@stripe/stripe-js';

/** Our tokens in the words of the processor's fields, which live in a frame that our style sheet does not reach. */
export function readAppearance(): Appearance {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    theme: 'flat',
    variables: {
      colorPrimary: token('accent'),
      colorBackground: token('surface'),
      colorText: token('ink'),
      colorTextSecondary: token('muted'),
      colorTextPlaceholder: token('muted'),
      colorDanger: token('danger'),
      borderRadius: '6px',
      fontSizeBase: '16px',
    },
    rules: { '.Input': { border: `1px solid ${token('field')}` } },
  };
}
