/** What a developer runs against a sandbox's Stripe; a test runs each as it stands here. */
export type PlanCode = { title: string; file: string; code: string };

const VALUES = 'STRIPE_URL, STRIPE_SECRET_KEY (sk_test_…) and STRIPE_ACCOUNT (acct_…) stand on the card of npm start';

export const planCode = (): PlanCode[] => [
  { title: 'With curl', file: 'plan.sh', code: WITH_CURL },
  { title: 'With the stripe package', file: 'plan.mjs', code: WITH_PACKAGE },
];

const WITH_CURL = `# ${VALUES}.
stripe() {
  curl -sf "$STRIPE_URL/v1/$1" -u "$STRIPE_SECRET_KEY:" -H "Stripe-Account: $STRIPE_ACCOUNT" "\${@:2}"
}

PRODUCT=$(stripe products -d name='Weekly coaching' | jq -r .id)
stripe prices -d product="$PRODUCT" -d currency=usd -d unit_amount=4900 \\
  -d 'recurring[interval]=month' -d 'metadata[trial_period_in_days]=7' | jq -r .id

COUPON=$(stripe coupons -d percent_off=25 -d duration=once | jq -r .id)
stripe promotion_codes -d code=WELCOME25 \\
  -d 'promotion[type]=coupon' -d "promotion[coupon]=$COUPON" | jq -r .code
`;

const WITH_PACKAGE = `// npm install stripe
// ${VALUES}.
import Stripe from 'stripe';

const { STRIPE_ACCOUNT, STRIPE_SECRET_KEY, STRIPE_URL } = process.env;
const { hostname: host, port } = new URL(STRIPE_URL);
const stripe = new Stripe(STRIPE_SECRET_KEY, { host, port, protocol: 'http', telemetry: false });
const clinic = { stripeAccount: STRIPE_ACCOUNT };

const product = await stripe.products.create({ name: 'Monthly check-in' }, clinic);
const price = await stripe.prices.create(
  {
    product: product.id,
    currency: 'usd',
    unit_amount: 2900,
    recurring: { interval: 'month' },
    metadata: { trial_period_in_days: '14' },
  },
  clinic,
);
console.log(price.id);

const coupon = await stripe.coupons.create({ amount_off: 500, currency: 'usd', duration: 'once' }, clinic);
const promotion = { type: 'coupon', coupon: coupon.id };
const { code } = await stripe.promotionCodes.create({ code: 'FIVEOFF', promotion }, clinic);
console.log(code);
`;
