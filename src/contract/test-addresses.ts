/** The code that signs in with a test number or address of a sandbox. */
export const TEST_CODE = '424242';
/** Numbers and a domain that are nobody's: 555-01xx is kept for fiction, `.test` for tests (RFC 6761). */
export const TEST_NUMBERS = { from: '+13125550100', to: '+13125550199' };
export const TEST_MAIL_DOMAIN = 'fixed-code.example.test';

/** Whether an address, as it is kept, is one for tests. Of a sandbox alone: elsewhere it is like any other. */
export const isTestAddress = (address: string): boolean =>
  /^\+1312555(01\d\d)$/.test(address) || address.endsWith(`@${TEST_MAIL_DOMAIN}`);
