import Foundation

/// SHA-256 (FIPS 180-4 section 6.2). Foundation has none on Linux, and this library depends on nothing else.
package struct SHA256: Sendable {
    /// The digest of the bytes: 32 bytes.
    package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var state = initialState
        var message = Array(bytes)
        let bitCount = UInt64(message.count) * 8
        // Section 5.1.1: a one bit, zeros, and the length, to a multiple of 64 bytes.
        message.append(0x80)
        message.append(contentsOf: [UInt8](repeating: 0, count: (120 - message.count % 64) % 64))
        message.append(contentsOf: bigEndianBytes(of: bitCount))
        var schedule = [UInt32](repeating: 0, count: 64)
        for start in stride(from: 0, to: message.count, by: 64) {
            compress(message[start..<(start + 64)], into: &state, &schedule)
        }
        return state.flatMap(bigEndianBytes)
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32], _ schedule: inout [UInt32]) {
        for index in 0..<16 {
            let word = block[(block.startIndex + 4 * index)...].prefix(4)
            schedule[index] = word.reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
        }
        // The names of section 6.2.2.
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let temporary1 = h &+ sum1 &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ schedule[index]
            let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let temporary2 = sum0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ temporary1)
            (d, c, b, a) = (c, b, a, temporary1 &+ temporary2)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static func bigEndianBytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// Section 5.3.3.
    private static let initialState: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
