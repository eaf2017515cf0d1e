//! Fits of measured curves to the curves that published models predict.

use serde::Serialize;

/// A least-squares fit of a straight line after a transformation of the data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Fit {
    /// Slope of the line.
    pub slope: f64,
    /// Value of the line at 0.
    pub intercept: f64,
    /// Share of the variance that the line explains (R²), at most 1.
    pub r2: f64,
    /// Number of points.
    pub points: usize,
}

/// Fits shares of a population to a logistic curve of time: the logarithm of the odds is a line. Shares of 0 and 1 are
/// left out, because their odds are infinite.
pub fn logistic_fit(shares: &[(f64, f64)]) -> Fit {
    line(shares.iter().filter_map(|(time, share)| Some((*time, log_odds(*share)?))))
}

/// Fits probabilities to a power law of the age: the logarithm of the odds is a line over the logarithm of the age.
/// ACT-R predicts this form (Anderson and Schooler, 1991).
pub fn power_law_fit(by_age: &[(f64, f64)]) -> Fit {
    line(by_age.iter().filter(|(age, _)| *age > 0.0).filter_map(|(age, share)| Some((age.ln(), log_odds(*share)?))))
}

/// Fits probabilities to an exponential function of the age: the logarithm of the odds is a line over the age.
pub fn exponential_fit(by_age: &[(f64, f64)]) -> Fit {
    line(by_age.iter().filter(|(age, _)| *age > 0.0).filter_map(|(age, share)| Some((*age, log_odds(*share)?))))
}

fn log_odds(share: f64) -> Option<f64> {
    (share > 0.0 && share < 1.0).then(|| (share / (1.0 - share)).ln())
}

fn line(points: impl Iterator<Item = (f64, f64)>) -> Fit {
    let points: Vec<(f64, f64)> = points.collect();
    let count = points.len() as f64;
    if points.len() < 2 {
        return Fit { points: points.len(), ..Fit::default() };
    }
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let xx: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let xy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let yy: f64 = points.iter().map(|(_, y)| (y - mean_y).powi(2)).sum();
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    let r2 = if xx > 0.0 && yy > 0.0 { xy * xy / (xx * yy) } else { 0.0 };
    Fit { slope, intercept: mean_y - slope * mean_x, r2, points: points.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_curve_is_recognized() {
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let spread: Vec<_> = (1..20).map(|day| (f64::from(day), logistic(0.5 * f64::from(day) - 4.0))).collect();
        let fit = logistic_fit(&spread);
        assert!((fit.slope - 0.5).abs() < 1e-9 && (fit.intercept + 4.0).abs() < 1e-9 && fit.r2 > 0.999_999);
        let forgetting: Vec<_> =
            (1..60).map(|day| (f64::from(day), logistic(2.0 - 1.5 * f64::from(day).ln()))).collect();
        assert!((power_law_fit(&forgetting).slope + 1.5).abs() < 1e-9);
        assert!(power_law_fit(&forgetting).r2 > exponential_fit(&forgetting).r2);
    }

    #[test]
    fn too_few_points_give_no_fit() {
        assert_eq!(logistic_fit(&[(1.0, 0.0), (2.0, 0.5), (3.0, 1.0)]), Fit { points: 1, ..Fit::default() });
    }
}
