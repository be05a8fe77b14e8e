import { expect, test } from 'vitest';
import { checkPassword } from './password-rules.ts';

const errorCode = (password: string, email = 'grace.example@example.test') => {
  try {
    checkPassword(password, email);
    return 'fine';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('accepts 12 to 256 characters, counted by code point', () => {
  expect(errorCode('elevenchars')).toBe('password_too_short');
  expect(errorCode('twelve chars')).toBe('fine');
  expect(errorCode('🦊'.repeat(6))).toBe('password_too_short');
  expect(errorCode('é🦊ñü한漢字ßøå🐍ж')).toBe('fine');
  expect(errorCode('x7 '.repeat(85))).toBe('password_too_common');
  expect(errorCode(Array.from({ length: 256 }, (_, index) => (index * 7) % 10).join(''))).toBe('fine');
  expect(errorCode(`${Array.from({ length: 256 }, (_, index) => index % 7).join('')}!`)).toBe('password_too_long');
});

test('there are no rules of composition', () => {
  for (const password of ['all lower case words', '493027561840', 'ALL UPPER CASE WORDS', '            !'])
    expect(errorCode(password), password).toBe('fine');
});

test('rejects common passwords in any case, and repetitions', () => {
  for (const password of [
    'password1234',
    'PassWord1234',
    'qwertyuiop123',
    '123456789012',
    'passwordpassword',
    'aaaaaaaaaaaaaa',
    'abababababab',
    'letmeinletmeinletmein',
  ])
    expect(errorCode(password), password).toBe('password_too_common');
});

test('rejects a password that contains the name in the email, unless the name is very short', () => {
  expect(errorCode('my name is Grace.Example!')).toBe('password_contains_email');
  expect(errorCode('ａda is my first name', 'ada@example.test')).toBe('password_contains_email');
  expect(errorCode('enjoy the long walk', 'jo@example.test')).toBe('fine');
});
