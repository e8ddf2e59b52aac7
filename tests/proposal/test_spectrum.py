"""Spectra of scattered rows: the frequency of a wave is found on a grid, between its points and beyond its end."""

import numpy as np
import pytest

from mosaic_sr.proposal.waves.spectrum import Spectrometer, measure_extent, sharpen_peak

RNG = np.random.default_rng(3)
ARGUMENT = RNG.uniform(-2.0, 5.0, 800)
OTHER = RNG.uniform(0.0, 1.0, 800)
NOTHING = np.zeros(1)


def peak_of(arguments, series, sizes, oversampling=1.5):
    extents = [measure_extent(argument) for argument in arguments]
    (peak,) = Spectrometer(sizes, oversampling).highest_peaks(arguments, extents, series[None], NOTHING)
    return peak, sharpen_peak(peak, arguments, extents, series, sizes[0])


@pytest.mark.parametrize("periods", [3.3, 57.1, 900.7, 1300.2])
def test_a_wave_has_its_peak_within_a_step_of_its_frequency(periods):
    frequency = 2 * np.pi * periods / np.ptp(ARGUMENT)
    peak, sharp = peak_of(ARGUMENT[None], np.sin(frequency * ARGUMENT + 0.4), (4096,))
    assert abs(peak.frequencies[0] - frequency) <= peak.steps[0]
    assert abs(sharp.frequencies[0] - frequency) <= 0.5 * peak.steps[0]
    assert sharp.power > 0.8 * 400


@pytest.mark.parametrize("periods", [1800.0, 4100.0])
def test_a_wave_faster_than_the_grid_is_found_where_it_shows(periods):
    frequency = 2 * np.pi * periods / np.ptp(ARGUMENT)
    _, sharp = peak_of(ARGUMENT[None], np.cos(frequency * ARGUMENT), (4096,))
    assert abs(sharp.frequencies[0] - frequency) <= sharp.steps[0]


@pytest.mark.parametrize("signs", [(1.0, 1.0), (1.0, -1.0)])
def test_a_wave_of_two_arguments_has_a_frequency_in_each(signs):
    wanted = [sign * 2 * np.pi * 20.3 / np.ptp(values) for sign, values in zip(signs, (ARGUMENT, OTHER), strict=True)]
    target = np.cos(wanted[0] * ARGUMENT + wanted[1] * OTHER)
    _, sharp = peak_of(np.array([ARGUMENT, OTHER]), target, (128, 128))
    # Both frequencies may have changed their sign together.
    found = np.array(sharp.frequencies) * np.sign(sharp.frequencies[0] * wanted[0])
    assert np.all(np.abs(found - wanted) <= sharp.steps)


def test_noise_has_peaks_as_exponential_numbers_do():
    series = RNG.standard_normal((40, len(ARGUMENT)))
    spectrometer = Spectrometer((4096,), 1.5, len(series))
    peaks = spectrometer.highest_peaks(ARGUMENT[None], [measure_extent(ARGUMENT)], series, np.zeros(40))
    # The highest of 2048: log(2048) = 7.6 on average; higher than 18 once in 40,000 scans.
    assert 6.5 < np.mean([peak.power for peak in peaks]) < 9.0
    assert max(peak.power for peak in peaks) < 18.0


def test_peaks_below_the_least_power_are_left_out_and_memory_is_clean_again():
    spectrometer, extents = Spectrometer((1024,), 1.5), [measure_extent(ARGUMENT)]
    wave = np.sin(30.0 * ARGUMENT)[None]
    first = spectrometer.highest_peaks(ARGUMENT[None], extents, wave, NOTHING)
    assert spectrometer.highest_peaks(ARGUMENT[None], extents, wave, np.array([1e6])) == []
    assert spectrometer.highest_peaks(ARGUMENT[None], extents, wave, NOTHING) == first


def test_even_steps_tell_no_frequency_beyond_half_of_theirs():
    extent = measure_extent(np.arange(50.0) * 0.25)
    assert extent.highest == pytest.approx(np.pi / 0.25)


def test_few_rows_far_out_do_not_stretch_the_grid():
    extent = measure_extent(np.concatenate([ARGUMENT, [1e6]]))
    assert extent.high <= 5.0


def test_an_argument_that_does_not_vary_has_no_peak():
    flat = np.ones((1, 100))
    assert Spectrometer((256,), 1.5).highest_peaks(flat, [measure_extent(flat[0])], flat, NOTHING) == []
