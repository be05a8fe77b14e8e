/** What a create set out to do, kept with its intent so that it can be finished by anybody. */
export type IntentPlan = {
  wish: { patientId: string; priceIds: string[]; cancelAtPeriodEnd: boolean; promotionCode: string | null };
  trialDays: number | null;
  promotionCodeId: string | null;
  /** `trial`: ends one interval after the trial, which is set once the processor has said when the trial ends. */
  cancelAfter: 'never' | 'period' | 'trial';
  createdByClientId: string | null;
};
