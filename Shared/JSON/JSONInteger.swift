extension FixedWidthInteger {
    /// The value of a number of a document, if this type can hold it exactly.
    /// - Parameter isInteger: whether the text has neither a fraction nor an exponent.
    init?(json text: ArraySlice<UInt8>, isInteger: Bool) {
        if isInteger {
            self.init(digits: text)
            return
        }
        guard let double = Double(String(decoding: text, as: UTF8.self)), let rounded = Self(exactly: double) else {
            return nil
        }
        // A double has every integer up to here.
        if double.magnitude < 0x1p53 {
            self = rounded
        } else {
            self.init(decimal: text)
        }
    }

    /// - Parameter text: `-`? and digits.
    private init?(digits text: ArraySlice<UInt8>) {
        let isNegative = text.first == UInt8(ascii: "-")
        var sum: Self = 0
        for byte in isNegative ? text.dropFirst() : text {
            let digit = Self(truncatingIfNeeded: byte &- UInt8(ascii: "0"))
            let (product, isTooLarge) = sum.multipliedReportingOverflow(by: 10)
            let (next, overflows) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !isTooLarge, !overflows else { return nil }
            sum = next
        }
        self = sum
    }

    /// Moves the decimal point of a number with a fraction or an exponent to its end.
    private init?(decimal text: ArraySlice<UInt8>) {
        let exponentMark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let mantissa = text[..<exponentMark]
        let exponentText = text[exponentMark...].dropFirst()
        guard let exponent = exponentText.isEmpty ? 0 : Int(String(decoding: exponentText, as: UTF8.self)) else {
            return nil
        }
        let integerDigits = mantissa.prefix { $0 != UInt8(ascii: ".") }
        var digits = Array(integerDigits)
        let fraction = mantissa.dropFirst(integerDigits.count + 1)
        digits.append(contentsOf: fraction)
        let (shift, overflows) = exponent.subtractingReportingOverflow(fraction.count)
        // No integer of 64 bits has more digits, zeros before it apart.
        guard !overflows, (-digits.count...20).contains(shift) else { return nil }
        if shift < 0 {
            guard digits.suffix(-shift).allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
            digits.removeLast(-shift)
        } else {
            digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: shift))
        }
        self.init(digits: digits[...])
    }
}
