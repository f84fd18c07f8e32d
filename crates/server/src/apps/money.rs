//! Amounts of money, counted exactly in the smallest unit of their currency.

/// The currency codes of ISO 4217, by the number of decimals.
const NO_DECIMALS: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const TWO_DECIMALS: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF \
    CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS \
    INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD \
    NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP \
    SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG";
const THREE_DECIMALS: &str = "BHD IQD JOD KWD LYD OMR TND";

/// The largest amount, in whole units.
const MAX_AMOUNT: f64 = 1e9;

/// A currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Currency {
    pub(super) code: &'static str,
    /// How many decimals an amount may have.
    pub(super) decimals: u8,
}

impl Currency {
    /// Finds a currency by its code.
    pub(super) fn named(code: &str) -> Option<Self> {
        [(NO_DECIMALS, 0), (TWO_DECIMALS, 2), (THREE_DECIMALS, 3)].into_iter().find_map(
            |(codes, decimals)| {
                let code = codes.split(' ').filter(|known| !known.is_empty()).find(|known| *known == code)?;
                Some(Self { code, decimals })
            },
        )
    }

    /// Converts an amount to smallest units, or says what is wrong with it.
    pub(super) fn units(self, amount: f64) -> Result<u64, String> {
        if amount.is_nan() || amount <= 0.0 {
            return Err("must be more than 0".to_owned());
        }
        if amount > MAX_AMOUNT {
            return Err(format!("must not be more than {MAX_AMOUNT}"));
        }
        let units = amount * self.scale();
        if (units - units.round()).abs() > 1e-6 * units.max(1.0) {
            return Err(match self.decimals {
                0 => format!("{} has no decimals", self.code),
                decimals => format!("{} has no more than {decimals} decimals", self.code),
            });
        }
        match units.round() as u64 {
            0 => Err("must be more than 0".to_owned()),
            units => Ok(units),
        }
    }

    /// Converts smallest units to an amount.
    pub(super) fn amount(self, units: u64) -> f64 {
        units as f64 / self.scale()
    }

    /// The amount in words.
    pub(super) fn in_words(self, units: u64) -> String {
        format!("{:.*} {}", usize::from(self.decimals), self.amount(units), self.code)
    }

    fn scale(self) -> f64 {
        10_f64.powi(self.decimals.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_three_capitals_and_unique() {
        let all: Vec<_> =
            [NO_DECIMALS, TWO_DECIMALS, THREE_DECIMALS].iter().flat_map(|codes| codes.split(' ')).collect();
        for (at, code) in all.iter().enumerate() {
            assert!(code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase()), "{code:?}");
            assert!(!all[at + 1..].contains(code), "{code} twice");
        }
        assert!(
            Currency::named("").is_none()
                && Currency::named("eur").is_none()
                && Currency::named("XXX").is_none()
        );
    }

    #[test]
    fn amounts_are_exact() {
        let euro = Currency::named("EUR").unwrap();
        assert_eq!(euro.units(0.1).unwrap() + euro.units(0.2).unwrap(), 30);
        assert_eq!((euro.amount(30), euro.in_words(1250)), (0.3, "12.50 EUR".to_owned()));
        assert_eq!(Currency::named("JPY").unwrap().in_words(500), "500 JPY");
        assert_eq!(Currency::named("KWD").unwrap().units(1.234), Ok(1234));
        assert_eq!(euro.units(999_999_999.99), Ok(99_999_999_999));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        let euro = Currency::named("EUR").unwrap();
        for (amount, why) in [
            (0.0, "must be more than 0"),
            (-3.0, "must be more than 0"),
            (f64::NAN, "must be more than 0"),
            (1e-9, "must be more than 0"),
            (1e10, "must not be more than 1000000000"),
            (1.005, "EUR has no more than 2 decimals"),
        ] {
            assert_eq!(euro.units(amount), Err(why.to_owned()), "{amount}");
        }
        assert_eq!(Currency::named("JPY").unwrap().units(1.5), Err("JPY has no decimals".to_owned()));
    }
}
