import Glibc

/// A color of sRGB without transparency, in the form of CSS: `#2f5bd8`.
package struct RGBColor: Hashable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package static let white = RGBColor(red: 255, green: 255, blue: 255)
    package static let black = RGBColor(red: 0, green: 0, blue: 0)

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// - Returns: nil for anything but `#` and six hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 7, bytes.first == UInt8(ascii: "#"),
            // `UInt32` also reads a sign.
            bytes.dropFirst().allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let number = UInt32(String(decoding: bytes.dropFirst(), as: UTF8.self), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(truncatingIfNeeded: number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number))
    }

    /// `#2f5bd8`
    package var text: String {
        "#"
            + [red, green, blue].map { channel in
                (channel < 16 ? "0" : "") + String(channel, radix: 16)
            }.joined()
    }

    /// WCAG 2.2, "relative luminance": 0 for black, 1 for white.
    private var luminance: Double {
        func linear(_ share: Double) -> Double {
            share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(Double(red) / 255) + 0.7152 * linear(Double(green) / 255)
            + 0.0722 * linear(Double(blue) / 255)
    }

    /// What text demands (WCAG 2.2, 1.4.3).
    package static let leastTextContrast = 4.5
    /// What the edges of controls demand (WCAG 2.2, 1.4.11).
    package static let leastEdgeContrast = 3.0

    /// WCAG 2.2, "contrast ratio": from 1 to 21, in either order.
    package func contrast(with other: RGBColor) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    /// White or black, whichever is easier to read on this color. One of them has at least 4.5:1 on every color.
    package var ink: RGBColor { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// The color itself, or as much of another mixed in as a contrast demands.
    /// - Parameters:
    ///   - ratio: the least contrast with `ground`.
    ///   - other: a color with more contrast.
    package func adjusted(toward other: RGBColor, until ratio: Double, on ground: RGBColor) -> RGBColor {
        (0...Self.mixingSteps).lazy.map { mixed(with: other, steps: $0) }
            .first { $0.contrast(with: ground) >= ratio } ?? other
    }

    private static let mixingSteps = 32

    /// - Parameter steps: of `mixingSteps`, the share of the other color.
    private func mixed(with other: RGBColor, steps: Int) -> RGBColor {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(clamping: (Int(one) * (Self.mixingSteps - steps) + Int(two) * steps) / Self.mixingSteps)
        }
        return RGBColor(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
