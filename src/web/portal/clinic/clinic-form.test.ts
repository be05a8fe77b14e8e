import { expect, test } from 'vitest';
import { shadeMessage } from './clinic-form.tsx';

test('says which shades replace a color, and where it is used unchanged', () => {
  expect(shadeMessage('#0b6b66')).toMatch(
    /^Light pages and emails use your color as it is\. Dark pages use a lighter shade, #[0-9a-f]{6}, so that everything can be read\.$/,
  );
  expect(shadeMessage('#fde047')).toMatch(
    /^Light pages and emails use a darker shade, #[0-9a-f]{6}, so that everything can be read\. Dark pages use your color as it is\.$/,
  );
  expect(shadeMessage('#777777')).toMatch(
    /darker shade, #[0-9a-f]{6}, and dark pages a lighter one|as it is\. Dark pages/,
  );
});
