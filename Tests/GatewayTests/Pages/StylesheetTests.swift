import Foundation
import Testing

@testable import GatewayService

/// The colors of the pages against WCAG 2.2: text at least 4.5:1 (1.4.3), edges of controls at least 3:1 (1.4.11).
@Suite struct StylesheetTests {
    private static let pairs: [(name: String, ground: String, minimumRatio: Double)] = [
        ("ink", "paper", 4.5), ("soft", "paper", 4.5), ("alarm", "paper", 4.5), ("act-ink", "act", 4.5),
        ("edge", "paper", 3), ("act", "paper", 3),
    ]

    /// The variables of the light and of the dark scheme. What the dark one does not set has the light value.
    private static let schemes: [[String: String]] = {
        let blocks = Page.stylesheet.matches(of: /:root \{([^}]*)\}/).map { block in
            Dictionary(
                block.output.1.matches(of: /--([a-z-]+): #([0-9a-f]{6})/).map { (String($0.1), String($0.2)) }
            ) { $1 }
        }
        return [blocks[0], blocks[0].merging(blocks[1]) { $1 }]
    }()

    /// WCAG 2.2, "relative luminance".
    private static func luminance(_ color: String) throws -> Double {
        let number = try #require(Int(color, radix: 16))
        let channels = [16, 8, 0].map { (shift: Int) in
            let value = Double(number >> shift & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    @Test(arguments: [0, 1], pairs) func colorsHaveEnoughContrast(
        scheme: Int, pair: (name: String, ground: String, minimumRatio: Double)
    ) throws {
        let color = try Self.luminance(#require(Self.schemes[scheme][pair.name]))
        let ground = try Self.luminance(#require(Self.schemes[scheme][pair.ground]))
        let ratio = (max(color, ground) + 0.05) / (min(color, ground) + 0.05)
        #expect(ratio >= pair.minimumRatio, "\(pair.name) on \(pair.ground)")
    }

    /// Forced colors replace backgrounds; an edge, also a transparent one, is drawn.
    @Test func everyButtonHasAnEdge() throws {
        let rules = Page.stylesheet.matches(of: /([^{}]+)\{([^{}]*)\}/).map {
            (selector: String($0.1), body: String($0.2))
        }
        let base = try #require(rules.first { $0.selector.contains("button, a.button") })
        #expect(base.body.contains("border: 1px solid transparent"))
        for rule in rules where rule.selector.contains("button") || rule.selector.contains("input") {
            #expect(!rule.body.contains("border: 0") && !rule.body.contains("border: none"), "\(rule.selector)")
        }
    }
}
