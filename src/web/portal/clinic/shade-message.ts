import { shadesOf } from '#contract/brand-shades.ts';

const SO_THAT = 'so that everything can be read.';

/** Says how a chosen color is adjusted so that what it paints is readable. */
export function shadeMessage(colour: string): string {
  const [light, dark] = [shadesOf(colour, 'light').accent, shadesOf(colour, 'dark').accent];
  if (light !== colour && dark !== colour)
    return `Light pages and mails use a darker shade, ${light}, and dark pages a lighter one, ${dark}, ${SO_THAT}`;
  if (light !== colour)
    return `Light pages and mails use a darker shade, ${light}, ${SO_THAT} Dark pages use your color as it is.`;
  if (dark !== colour)
    return `Light pages and mails use your color as it is. Dark pages use a lighter shade, ${dark}, ${SO_THAT}`;
  return 'Your color can be read everywhere, so it is used as it is.';
}
