/** The code that signs in with a sandbox's test number or test address. */
export const TEST_CODE = '424242';
/** Reserved numbers and a reserved domain: 555-01xx is for fiction, `.test` for tests (RFC 6761). */
export const TEST_NUMBERS = { from: '+13125550100', to: '+13125550199' };
export const TEST_MAIL_DOMAIN = 'fixed-code.example.test';

/** Whether a normalised address is a test address. Only meaningful in a sandbox: in production it is like any other. */
export const isTestAddress = (address: string): boolean =>
  /^\+1312555(01\d\d)$/.test(address) || address.endsWith(`@${TEST_MAIL_DOMAIN}`);
