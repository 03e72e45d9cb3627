import Testing
import Vocabulary

@Suite struct RGBColorTests {
    @Test(arguments: ["#2f5bd8", "#000000", "#ffffff", "#0a0b0c"]) func textIsReadAndWritten(text: String) {
        #expect(RGBColor(text)?.text == text)
        #expect(RGBColor(text.uppercased())?.text == text)
    }

    @Test(arguments: [
        "", "#", "2f5bd8", "#2f5bd", "#2f5bd80", "#2f5bdg", "#+f5bd8", "#fff", "red", "#2f5bd8;", "＃2f5bd8",
    ])
    func otherTextIsRefused(text: String) {
        #expect(RGBColor(text) == nil)
    }

    /// The examples of WCAG's own tools.
    @Test(arguments: [
        ("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#767676", "#ffffff", 4.54),
        ("#2f5bd8", "#ffffff", 5.82), ("#ffffff", "#ffffff", 1.0),
    ])
    func contrastIsThatOfWCAG(one: String, two: String, ratio: Double) throws {
        let (one, two) = try (#require(RGBColor(one)), #require(RGBColor(two)))
        #expect(abs(one.contrast(with: two) - ratio) < 0.01)
        #expect(one.contrast(with: two) == two.contrast(with: one))
    }

    @Test func inkIsReadableOnEveryColor() {
        for red in stride(from: UInt8(0), through: 255, by: 51) {
            for green in stride(from: UInt8(0), through: 255, by: 51) {
                for blue in stride(from: UInt8(0), through: 255, by: 51) {
                    let color = RGBColor(red: red, green: green, blue: blue)
                    #expect(color.contrast(with: color.ink) >= 4.5, "\(color.text)")
                }
            }
        }
    }

    @Test func adjustedColorHasTheContrast() throws {
        let yellow = try #require(RGBColor("#ffd400"))
        let adjusted = yellow.adjusted(toward: .black, until: 4.5, on: .white)
        #expect(adjusted.contrast(with: .white) >= 4.5 && adjusted != .black && adjusted != yellow)
        #expect(yellow.adjusted(toward: .white, until: 4.5, on: .black) == yellow)
    }
}
