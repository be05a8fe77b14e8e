/** Fictional values for the API's examples, one for each type, so that all examples are consistent. */
export const EXAMPLE = {
  tenantId: '01936f3a-5c1e-7b42-9d08-3f6a2c81e704',
  patientId: '01936f4b-82d7-7c19-a3e5-6b0f94d2c817',
  taskId: '01936f5a-4b7e-7d21-9c86-e1f05a38b7d4',
  practitionerId: '01936f3c-0a94-7e63-8b1d-52c7f0e9a436',
  appointmentId: '01936f52-e7b0-74d8-b6a1-9c35d840f2be',
  eventId: '01936f53-1a3c-7e84-a9d2-4b7c05f8e613',
  webhookEndpointId: '01936f54-6c0d-7b19-8e42-d15a93c7f080',
  webhookDeliveryId: '01936f55-90be-7f36-b4c8-2e7d61a05f93',
  addressId: '01936f4b-82d8-7a05-91c6-e4f7b23d5a08',
  phoneId: '01936f4b-82d9-7d3e-8f52-07a6c9b41e63',
  priceId: 'price_1QExampleMonthly',
  subscriptionId: 'sub_1QExampleAda',
  paymentId: 'in_1QExampleFirst',
  appointmentTypeId: 41001,
  calendarId: 7001,
  website: 'https://app.example.test',
} as const;
